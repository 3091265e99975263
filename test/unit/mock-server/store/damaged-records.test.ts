import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { agentSchema } from "../../../../mock-server/agent-server/persistence/agent-schema.ts";
import { ControlPlaneStore } from "../../../../mock-server/control-plane/store/control-plane-store.ts";
import { controlPlaneSchema } from "../../../../mock-server/control-plane/store/schema.ts";
import { DataDirectory } from "../../../../mock-server/kit/store/data-directory.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";
import { startAgent, type TestAgent, thread } from "../../../kit/agent-server/agent.ts";
import { githubBody, startForTest } from "../../../kit/mock-server/api.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "damaged-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function damage(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "mock-server.sqlite"));
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.close();
}

/** Columns that may hold any JSON, because graphs write them. */
const takesAnything: ReadonlySet<string> = new Set(["value", '"values"']);

/** Each JSON column of a table, once with invalid JSON and once with JSON of another shape. */
const damaged = (table: string, ...columns: string[]) =>
  columns.flatMap((column) => [
    [table, column, "{", "isn't JSON"] as const,
    [table, column, "null", "has another shape"] as const,
    ...(takesAnything.has(column)
      ? []
      : [[table, column, column === "metadata" ? "[]" : "5", "has another shape"] as const]),
  ]);

/** Requests that each read or search the records of one table. */
const agentRequests: Record<string, readonly [method: string, path: string, body?: object][]> = {
  assistants: [
    ["GET", "/assistants/00000000-0000-4000-8000-000000000007"],
    ["POST", "/assistants/search", {}],
  ],
  assistant_versions: [["POST", "/assistants/00000000-0000-4000-8000-000000000007/versions", {}]],
  threads: [
    ["GET", `/threads/${thread(1)}`],
    ["POST", "/threads/search", {}],
    ["GET", `/threads/${thread(1)}/state`],
  ],
  thread_states: [["GET", `/threads/${thread(1)}`]],
  checkpoints: [
    ["GET", `/threads/${thread(1)}/state`],
    ["POST", `/threads/${thread(1)}/history`, {}],
  ],
  runs: [["GET", `/threads/${thread(1)}/runs`]],
  crons: [["POST", "/runs/crons/search", {}]],
  items: [["POST", "/store/items/search", { namespace_prefix: [] }]],
};

async function startKept(folder: string): Promise<TestAgent> {
  const directory = await DataDirectory.open(folder, [agentSchema]);
  const agent = await startAgent({ database: directory.database });
  return {
    ...agent,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      directory.close();
    },
  };
}

async function agentFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await using agent = await startKept(folder);
  const id = "00000000-0000-4000-8000-000000000007";
  await agent.call("POST", "/assistants", { assistant_id: id, graph_id: "agent", metadata: { a: 1 } });
  await agent.call("POST", "/threads", { thread_id: thread(1), metadata: { a: 1 }, ttl: { ttl: 1000 } });
  await agent.call("POST", `/threads/${thread(1)}/runs/wait`, { assistant_id: "agent", input: { messages: "a" } });
  const cron = { assistant_id: "agent", schedule: "0 0 1 1 *", input: {}, enabled: false };
  await agent.call("POST", "/runs/crons", cron);
  await agent.call("PUT", "/store/items", { namespace: ["a"], key: "k", value: { a: 1 } });
  return folder;
}

test.each([
  ...damaged("assistants", "metadata", "config", "context"),
  ...damaged("assistant_versions", "metadata", "config", "context"),
  ...damaged("threads", "metadata", "ttl"),
  ...damaged("thread_states", "config", "interrupts", '"values"'),
  ...damaged("checkpoints", "metadata"),
  ["checkpoints", "content", "{", "can't be read"] as const,
  ...damaged("runs", "metadata", "kwargs", "user"),
  ...damaged("crons", "metadata", "payload", "user"),
  ...damaged("items", "value"),
])("a record of %s whose %s is %s is named by an agent server", async (table, column, text, fault) => {
  const folder = await agentFolder();
  const value = column === "content" ? `CAST('${text}' AS BLOB)` : `'${text}'`;
  const only = table.startsWith("assistant") ? " WHERE assistant_id LIKE '%7'" : "";
  damage(folder, `UPDATE ${table} SET ${column} = ${value}${only}`);
  await using agent = await startKept(folder);
  const named = table === "thread_states" ? "threads" : table;
  let isNamed = false;
  for (const [method, path, body] of agentRequests[table] ?? []) {
    const { status, body: response } = await agent.call(method, path, body);
    if (status === 200) continue;
    expect({ status, detail: response.detail }, path).toEqual({
      status: 500,
      detail: expect.stringMatching(
        new RegExp(`^The record \\S+.* of the table ${named} is damaged: its ${column.replaceAll('"', "")} ${fault}`),
      ),
    });
    isNamed = true;
  }
  expect(isNamed).toBe(true);
});

test.each([
  ["threads", "metadata", "/threads/search", "metadata"],
  ["thread_states", "values", "/threads/search", "values"],
  ["checkpoints", "metadata", `/threads/${thread(1)}/history`, "metadata"],
  ["assistants", "metadata", "/assistants/search", "metadata"],
  ["assistants", "metadata", "/assistants/count", "metadata"],
  ["crons", "metadata", "/runs/crons/count", "metadata"],
] as const)("a search that reads a damaged record of %s names it", async (table, column, path, filter) => {
  const folder = await agentFolder();
  const only = table === "assistants" ? " WHERE assistant_id LIKE '%7'" : "";
  damage(folder, `UPDATE ${table} SET "${column}" = '{"a":{"b":1}'${only}`);
  await using agent = await startKept(folder);
  const { status, body } = await agent.call("POST", path, { [filter]: { a: { b: 1 } } });
  const message = new RegExp(`^The record \\S+ of the table ${table} is damaged: its ${column} isn't JSON`);
  expect({ status, detail: body.detail }).toEqual({ status: 500, detail: expect.stringMatching(message) });
});

/** A server that doesn't print the defects that these tests cause. */
const startQuietly = async (dataDirectory: string) => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  return startForTest({ dataDirectory });
};

test.each([
  ...damaged("deployments", "revision_config", "secret_references", "activations", "deletion"),
  ["deployments", "source_config", "null", "has another shape"] as const,
  ["deployments", "secrets", '["a"]', "has another shape"] as const,
  ["deployments", "secrets", "null", "has another shape"] as const,
  ["revisions", "transitions", "[null]", "has another shape"] as const,
  ["revisions", "transitions", "[]", "has another shape"] as const,
  ...damaged("revisions", "config", "phases", "transitions", "build_lines", "failure_lines"),
])("a record of %s whose %s is %s is named by a control plane", async (table, column, text, fault) => {
  const dataDirectory = await temporaryFolder();
  let id: string;
  let revisionId: string;
  {
    await using first = await startForTest({ dataDirectory });
    const { body } = await first.cloud("POST", "/v2/deployments", githubBody());
    [id, revisionId] = [body.id, body.latest_revision_id];
  }
  damage(dataDirectory, `UPDATE ${table} SET ${column} = '${text}'`);
  await using second = await startQuietly(dataDirectory);
  const damagedId = table === "revisions" ? revisionId : id;
  const detail = expect.stringMatching(
    `^The record ${damagedId} of the table ${table} is damaged: its ${column} ${fault}`,
  );
  const path = table === "revisions" ? `/v2/deployments/${id}/revisions` : "/v2/deployments";
  for (const place of [path, `${path}/${damagedId}`]) {
    expect(await second.cloud("GET", place), place).toMatchObject({ status: 500, body: { detail } });
  }
});

test("a search for a status that reads a damaged timeline names its revision", async () => {
  const dataDirectory = await temporaryFolder();
  let id: string;
  {
    await using first = await startForTest({ dataDirectory });
    id = (await first.cloud("POST", "/v2/deployments", githubBody())).body.id;
  }
  damage(dataDirectory, "UPDATE revisions SET transitions = '{'");
  await using second = await startQuietly(dataDirectory);
  const detail = expect.stringMatching(/^The record \S+ of the table revisions is damaged: its transitions isn't JSON/);
  const response = await second.cloud("GET", `/v2/deployments/${id}/revisions?status=DEPLOYED`);
  expect(response).toMatchObject({ status: 500, body: { detail } });
});

test("damaged listeners, tokens and clients are named", async () => {
  const database = await Database.inMemory([controlPlaneSchema]);
  const store = new ControlPlaneStore(database);
  database.run(
    `INSERT INTO listeners (id, tenant_id, compute_type, compute_id, namespaces, created_at, updated_at)
      VALUES ('l', 't', 'k8s', 'c', '{}', 0, 0)`,
  );
  database.run("INSERT INTO oauth_clients (id, name, redirect_uris) VALUES ('c', 'C', '[null]')");
  database.run(
    `INSERT INTO oauth_tokens (id, edition, tenant_id, provider_record_id, user_id, created_by, scopes, access_token,
      is_default, created_at, updated_at) VALUES ('k', 'cloud', 't', 'p', 'u', 'u', 'null', 'a', 1, 0, 0)`,
  );
  expect(() => store.listeners.all()).toThrow("The record l of the table listeners is damaged: its namespaces has");
  expect(() => store.oauthClients.all()).toThrow(
    "The record c of the table oauth_clients is damaged: its redirect_uris",
  );
  expect(() => store.tokens.all()).toThrow("The record k of the table oauth_tokens is damaged: its scopes has");
});
