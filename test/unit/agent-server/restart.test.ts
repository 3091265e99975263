import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test as base, expect } from "vitest";
import type { GraphAgentServerOptions } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { createIdSource } from "../../../mock-server/kit/ids.ts";
import { DataDirectory } from "../../../mock-server/kit/store/data-directory.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { startAgent, type TestAgent, thread, until } from "../../kit/agent-server/agent.ts";
import { startProject } from "../../kit/agent-server/compiled/project.ts";
import { apiOf, githubBody } from "../../kit/mock-server/api.ts";

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest parses this pattern to find that the fixture uses no others
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "agents-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** Starts an agent server with a data directory and its clock at `time`. */
async function startPersistent(
  folder: string,
  { time = Date.UTC(2026, 0, 1), ...options }: GraphAgentServerOptions & { time?: number } = {},
): Promise<TestAgent> {
  const directory = await DataDirectory.open(folder, [agentSchema]);
  const agent = await startAgent({ database: directory.database, ids: createIdSource(), ...options });
  agent.clock.freeze(time);
  return {
    ...agent,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      directory.close();
    },
  };
}

/** Closes a server, and starts another one `later` milliseconds later. */
async function restart(
  agent: TestAgent,
  folder: string,
  { later = 0, ...options }: GraphAgentServerOptions & { later?: number } = {},
): Promise<TestAgent> {
  const time = agent.clock.now() + later;
  await agent[Symbol.asyncDispose]();
  expect(agent.defects).toEqual([]);
  return startPersistent(folder, { time, ...options });
}

const runsOf = async (agent: TestAgent, n: number) => (await agent.call("GET", `/threads/${thread(n)}/runs`)).body;
const statusesOf = async (agent: TestAgent, n: number) =>
  (await runsOf(agent, n)).map(({ status }: { status: string }) => status).reverse();

const delay = (ms: number, more: object = {}) => ({
  assistant_id: "delay",
  input: { ms },
  if_not_exists: "create",
  ...more,
});

test("assistants, threads, states, runs, crons and items outlive their server", async ({ folder }) => {
  const first = await startPersistent(folder);
  const { body: made } = await first.call("POST", "/assistants", { graph_id: "agent", name: "first" });
  await first.call("PATCH", `/assistants/${made.assistant_id}`, { metadata: { team: "a" } });
  await first.call("POST", "/threads", { thread_id: thread(1), metadata: { owner: "ann" } });
  const hello = { assistant_id: "approval", input: { log: "one" } };
  await first.call("POST", `/threads/${thread(1)}/runs/wait`, hello);
  await first.call("POST", "/runs/crons", { assistant_id: "agent", schedule: "0 0 * * *" });
  await first.call("PUT", "/store/items", { namespace: ["a", "b"], key: "k", value: { n: 1 } });
  const reads: [string, string, object?][] = [
    ["POST", "/assistants/search", { limit: 100 }],
    ["POST", `/assistants/${made.assistant_id}/versions`, {}],
    ["POST", "/threads/search", { metadata: { owner: "ann" } }],
    ["GET", `/threads/${thread(1)}/state`],
    ["GET", `/threads/${thread(1)}/history`],
    ["GET", `/threads/${thread(1)}/runs`],
    ["POST", "/runs/crons/search", {}],
    ["POST", "/store/items/search", { namespace_prefix: ["a"] }],
  ];
  const responsesOf = async (agent: TestAgent) =>
    Promise.all(reads.map(async ([method, path, body]) => (await agent.call(method, path, body)).body));
  const before = await responsesOf(first);
  await using second = await restart(first, folder);
  expect(await responsesOf(second)).toEqual(before);
  const resumed = { assistant_id: "approval", command: { resume: "yes" } };
  expect((await second.call("POST", `/threads/${thread(1)}/runs/wait`, resumed)).body.log).toBeDefined();
});

test("after a restart, queued runs execute in order, and the run in progress becomes interrupted", async ({
  folder,
}) => {
  const first = await startPersistent(folder);
  const path = `/threads/${thread(1)}/runs`;
  for (let n = 0; n < 3; n++) await first.call("POST", path, delay(1000, { metadata: { n } }));
  await until(async () => (await statusesOf(first, 1))[0] === "running");
  await using second = await restart(first, folder);
  await until(async () => (await statusesOf(second, 1))[1] === "running");
  expect(await statusesOf(second, 1)).toEqual(["interrupted", "running", "pending"]);
  expect((await second.call("GET", `/threads/${thread(1)}`)).body.status).toBe("busy");
  second.clock.advance("1s");
  await until(async () => (await statusesOf(second, 1))[2] === "running");
  expect(await statusesOf(second, 1)).toEqual(["interrupted", "success", "running"]);
  second.clock.advance("1s");
  await until(async () => (await second.call("GET", `/threads/${thread(1)}`)).body.status === "idle");
  expect(await statusesOf(second, 1)).toEqual(["interrupted", "success", "success"]);
  expect(second.defects).toEqual([]);
});

test("a run that a restart interrupted can be joined, and its stream replays its events and says why it ended", async ({
  folder,
}) => {
  const first = await startPersistent(folder);
  const path = `/threads/${thread(1)}/runs`;
  const body = delay(10_000, { stream_resumable: true, stream_mode: ["values", "custom"] });
  const { body: run } = await first.call("POST", path, body);
  const firstEvents = async () => {
    const response = await fetch(`${first.url}${path}/${run.run_id}/stream`, { headers: { "last-event-id": "-" } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new TextDecoder().decode(value);
  };
  await until(async () => (await statusesOf(first, 1))[0] === "running");
  await until(async () => (await firstEvents()).split("\n\n").length > 2);
  const eventsBefore = await firstEvents();
  await using second = await restart(first, folder);
  expect((await second.call("GET", `${path}/${run.run_id}`)).body.status).toBe("interrupted");
  const join = `${path}/${run.run_id}/stream`;
  const replayed = await (await fetch(second.url + join, { headers: { "last-event-id": "-" } })).text();
  expect(replayed.startsWith(eventsBefore)).toBe(true);
  const events = await second.events("GET", join, undefined, { "last-event-id": "-" });
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "RunInterrupted" } });
  const after = events.at(-2)?.id as string;
  expect(await second.events("GET", join, undefined, { "last-event-id": after })).toEqual(events.slice(-1));
  expect(await second.events("GET", join)).toEqual([]);
  expect((await second.call("GET", `${path}/${run.run_id}/join`)).status).toBe(200);
  expect((await second.call("GET", `/threads/${thread(1)}`)).body.status).toBe("idle");
  // The thread continues where it was.
  second.clock.resume();
  expect((await second.call("POST", `${path}/wait`, { assistant_id: "delay", input: { ms: 0 } })).status).toBe(200);
});

test("the stream of a resumable run that has ended replays after a restart, event by event", async ({ folder }) => {
  const first = await startPersistent(folder);
  const path = `/threads/${thread(1)}/runs`;
  const body = { assistant_id: "events", input: { steps: 5 }, stream_mode: ["custom", "values"] };
  const kept = { ...body, stream_resumable: true, if_not_exists: "create" };
  const whole = await first.events("POST", `${path}/stream`, kept);
  const other = await first.events("POST", `${path}/stream`, body);
  await using second = await restart(first, folder);
  for (const [index, { id = "-" }] of [{ id: "-" }, ...whole].entries()) {
    const join = `${path}/${whole[0]?.data.run_id}/stream`;
    expect(await second.events("GET", join, undefined, { "last-event-id": id })).toEqual(whole.slice(index));
  }
  const unkept = `${path}/${other[0]?.data.run_id}/stream`;
  expect(await second.events("GET", unkept, undefined, { "last-event-id": "-" })).toEqual([]);
});

test("a delayed run starts when it is due, or at the next start if no server was running then", async ({ folder }) => {
  const first = await startPersistent(folder);
  await first.call("POST", `/threads/${thread(1)}/runs`, delay(0, { after_seconds: 60 }));
  await first.call("POST", `/threads/${thread(2)}/runs`, delay(0, { after_seconds: 600 }));
  await using second = await restart(first, folder, { later: 120_000 });
  await until(async () => (await statusesOf(second, 1))[0] === "success");
  expect(await statusesOf(second, 2)).toEqual(["pending"]);
  second.clock.advance("8m");
  await until(async () => (await statusesOf(second, 2))[0] === "success");
});

test("a cron that missed several times while no server was running fires once, and then at its next time", async ({
  folder,
}) => {
  const first = await startPersistent(folder);
  await first.call("POST", "/threads", { thread_id: thread(1) });
  const cron = { assistant_id: "delay", input: { ms: 0 }, schedule: "0 * * * *" };
  await first.call("POST", `/threads/${thread(1)}/runs/crons`, cron);
  first.clock.advance("1h");
  await until(async () => (await statusesOf(first, 1))[0] === "success");
  const second = await restart(first, folder, { later: 5.5 * 3_600_000 });
  await until(async () => (await statusesOf(second, 1))[1] === "success");
  const { body: crons } = await second.call("POST", "/runs/crons/search", {});
  expect(crons[0].next_run_date).toBe("2026-01-01T07:00:00.000Z");
  await using third = await restart(second, folder);
  expect(await statusesOf(third, 1)).toEqual(["success", "success"]);
  third.clock.advance("30m");
  await until(async () => (await statusesOf(third, 1))[2] === "success");
});

test("resources expire at the end of their time to live, even while no server is running", async ({ folder }) => {
  const first = await startPersistent(folder);
  await first.call("POST", "/threads", { thread_id: thread(1), ttl: 10 });
  await first.call("POST", "/threads", { thread_id: thread(2), ttl: 30 });
  await first.call("PUT", "/store/items", { namespace: ["a"], key: "short", value: {}, ttl: 10 });
  await first.call("PUT", "/store/items", { namespace: ["a"], key: "long", value: {}, ttl: 30 });
  await using second = await restart(first, folder, { later: 20 * 60_000 });
  expect((await second.call("GET", `/threads/${thread(1)}`)).status).toBe(404);
  expect((await second.call("GET", `/threads/${thread(2)}`)).status).toBe(200);
  const { body } = await second.call("POST", "/store/items/search", { refresh_ttl: false });
  expect(body.items.map(({ key }: { key: string }) => key)).toEqual(["long"]);
  second.clock.advance("10m");
  await until(async () => (await second.call("GET", `/threads/${thread(2)}`)).status === 404);
});

test("a webhook that couldn't be delivered is delivered after a restart", async ({ folder }) => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      received.push(text);
      response.statusCode = received.length === 1 ? 503 : 200;
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const first = await startPersistent(folder);
  await first.call("POST", "/runs/wait", { ...delay(0), webhook });
  await until(async () => received.length === 1);
  await using second = await restart(first, folder);
  await second.call("GET", "/ok?check_db=1");
  second.clock.resume();
  await until(async () => received.length === 2);
  expect(JSON.parse(received[1] as string)).toMatchObject({ status: "success", kwargs: { webhook } });
  await using third = await restart(second, folder);
  await third.call("GET", "/threads");
  expect(received).toHaveLength(2);
  receiver.close();
});

test("a stateless run that a restart interrupted leaves nothing behind", async ({ folder }) => {
  const first = await startPersistent(folder);
  const { body: run } = await first.call("POST", "/runs", { assistant_id: "delay", input: { ms: 1000 } });
  await until(async () => (await first.call("GET", "/metrics?format=json")).body.queue.num_running === 1);
  await using second = await restart(first, folder);
  expect((await second.call("POST", "/threads/count", {})).body).toBe(0);
  expect((await second.call("GET", `/runs/${run.run_id}/stream`)).status).toBe(404);
});

test("a compiled graph's interrupted thread is resumed after a restart", async ({ folder }) => {
  const worker = await startProject("basics");
  const projectOf = async () => worker;
  const path = `/threads/${thread(1)}`;
  const first = await startPersistent(folder, { projectOf });
  const body = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  const { body: interrupted } = await first.call("POST", `${path}/runs/wait`, body);
  const { body: history } = await first.call("GET", `${path}/history`);
  await using second = await restart(first, folder, { projectOf });
  expect((await second.call("GET", path)).body).toMatchObject({ status: "interrupted" });
  expect((await second.call("GET", `${path}/history`)).body).toEqual(history);
  const resumed = { assistant_id: "approval", command: { resume: "yes" } };
  const done = await second.call("POST", `${path}/runs/wait`, resumed);
  expect(interrupted.__interrupt__).toHaveLength(1);
  expect(done.body).toEqual({ log: ["start", "asked", "done"], answer: "yes" });
  await worker.close();
});

/** The number of rows about agent servers in a data directory, by table, for tables that aren't empty. */
function rowsIn(folder: string): Record<string, number> {
  const database = new DatabaseSync(join(folder, "mock-server.sqlite"), { readOnly: true });
  const tables = [
    "agents",
    "assistants",
    "assistant_versions",
    "threads",
    "thread_states",
    "thread_fields",
    "checkpoints",
  ];
  const counts = [...tables, "writes", "runs", "run_events", "webhooks", "items", "crons"].map((table) => {
    const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
    return [table, Number(row?.count)] as const;
  });
  database.close();
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test("a deployment's agent server continues after a restart, and is removed with the deployment", async ({
  folder,
}) => {
  const start = () => startMockServer({ port: 0, transitions: "immediate", dataDirectory: folder });
  const first = await start();
  const create = async (name: string) =>
    (await apiOf(first.url)("POST", "/v2/deployments", githubBody({ name }))).body.id as string;
  const ids = [await create("first"), await create("second")];
  for (const id of ids) {
    const agent = apiOf(`${first.url}/agents/${id}`);
    const run = {
      assistant_id: "tools",
      input: { messages: "hello" },
      if_not_exists: "create",
      stream_resumable: true,
    };
    await agent("POST", `/threads/${thread(1)}/runs/wait`, run);
    await agent("POST", "/runs/crons", { assistant_id: "agent", schedule: "0 0 * * *" });
    await agent("PUT", "/store/items", { namespace: ["a"], key: "k", value: {} });
  }
  await first.close();
  const all = rowsIn(folder);
  expect(all).toMatchObject({ agents: 2, threads: 2, runs: 2, items: 2, crons: 2 });
  const second = await start();
  const search = (id: string) => apiOf(`${second.url}/agents/${id}`)("POST", "/threads/search", {});
  expect((await search(ids[0] as string)).body).toHaveLength(1);
  expect((await apiOf(second.url)("DELETE", `/v2/deployments/${ids[0]}`)).status).toBe(204);
  await until(async () => (await apiOf(second.url)("GET", `/v2/deployments/${ids[0]}`)).status === 404);
  await second.close();
  expect(rowsIn(folder)).toEqual(Object.fromEntries(Object.entries(all).map(([table, count]) => [table, count / 2])));
  const third = await start();
  await third.reset({ confirm: true });
  await third.close();
  expect(rowsIn(folder)).toEqual({});
});

test("only resumable runs keep their events", async ({ folder }) => {
  const agent = await startPersistent(folder);
  const body = { assistant_id: "events", input: { steps: 5 }, if_not_exists: "create", stream_mode: "custom" };
  await agent.events("POST", `/threads/${thread(1)}/runs/stream`, body);
  await agent.events("POST", `/threads/${thread(1)}/runs/stream`, { ...body, stream_resumable: true });
  await agent[Symbol.asyncDispose]();
  expect(rowsIn(folder)).toMatchObject({ runs: 2, run_events: 6 });
});
