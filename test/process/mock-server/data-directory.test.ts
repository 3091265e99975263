import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { test as base, expect } from "vitest";
import { connectMockServer } from "../../../mock-server/admin/admin-client.ts";
import { type MockServerOptions, startMockServer } from "../../../mock-server/server.ts";
import { until } from "../../kit/agent-server/agent.ts";
import { apiOf, githubBody } from "../../kit/mock-server/api.ts";

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest parses this pattern to find that the fixture uses no others
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "data-directory-"));
    await use(join(folder, "data"));
    await rm(folder, { recursive: true });
  },
});

const dataFile = (folder: string) => join(folder, "mock-server.sqlite");

async function startWith(dataDirectory: string, options: MockServerOptions = {}) {
  const server = await startMockServer({ port: 0, transitions: "immediate", dataDirectory, ...options });
  return Object.assign(server, { cloud: apiOf(server.url), selfHosted: apiOf(server.selfHostedUrl) });
}

test("a later server continues with the state and the clock of the control planes", async ({ folder }) => {
  const first = await startWith(folder, { transitions: "time:10m" });
  const { body: made } = await first.cloud(
    "POST",
    "/v2/deployments",
    githubBody({ secrets: [{ name: "KEY", value: "s3cret-value" }] }),
  );
  await first.cloud("POST", "/v2/deployments", githubBody({ name: "second" }));
  const { body: removed } = await first.cloud("POST", "/v2/deployments", githubBody({ name: "third" }));
  await first.cloud("PATCH", `/v2/deployments/${made.id}`, { source_revision_config: { repo_ref: "next" } });
  await first.cloud("DELETE", `/v2/deployments/${removed.id}`);
  await first.selfHosted("POST", "/v2/listeners", { compute_type: "k8s", compute_id: "cluster", compute_config: {} });
  await first.cloud("POST", "/v2/auth/providers", {
    provider_id: "github",
    name: "GitHub",
    client_id: "id",
    client_secret: "provider-s3cret",
    auth_url: "https://github.com/login/oauth/authorize",
    token_url: "https://github.com/login/oauth/access_token",
  });
  await first.push({ repoUrl: "https://github.com/acme/agents", ref: "main", commit: "c".repeat(40) });
  first.clock.advance("5m");
  first.clock.freeze();
  const [before, time, list] = [
    await first.snapshot.get(),
    first.clock.now(),
    (await first.cloud("GET", "/v2/deployments")).body,
  ];
  expect(before.content.deployments).toHaveLength(3);
  expect(before.content.collections.providers).toHaveLength(1);
  expect(before.content.collections.listeners).toHaveLength(1);
  await first.close();

  await using second = await startWith(folder, { transitions: "time:10m" });
  expect(second.isContinued).toBe(true);
  expect(second.clock.frozen).toBe(true);
  expect(second.clock.now()).toBe(time);
  expect((await second.snapshot.get()).content).toEqual(before.content);
  const listOf = (page: typeof list) =>
    page.resources.map(({ source_config: _, ...fields }: { source_config: unknown }) => fields);
  expect(listOf((await second.cloud("GET", "/v2/deployments")).body)).toEqual(listOf(list));
  // Rollouts continue where they were, and redacted values stay redacted.
  second.clock.advance("10m");
  expect((await second.cloud("GET", `/v2/deployments/${made.id}`)).body.status).toBe("READY");
  expect(JSON.stringify(second.requests())).not.toContain("s3cret-value");
  const agent = await second.cloud("POST", `/agents/${made.id}/threads`, {});
  expect(agent.status).toBe(200);
});

test("an advanced clock keeps running, and an untouched one is the machine's", async ({ folder }) => {
  const first = await startWith(folder);
  first.clock.advance("3h");
  await first.close();
  const second = await startWith(folder);
  expect(second.clock.frozen).toBe(false);
  const ahead = second.clock.now() - Date.now();
  expect(ahead).toBeGreaterThan(2.9 * 3_600_000);
  expect(ahead).toBeLessThan(3.1 * 3_600_000);
  second.clock.advance("1h");
  await second.close();
  await using third = await startWith(folder);
  expect(third.clock.now() - Date.now()).toBeGreaterThan(3.9 * 3_600_000);
});

const program = fileURLToPath(new URL("../../../mock-server/main.ts", import.meta.url));

function run(...flags: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, "--port", "0", "--log-format", "json", ...flags]);
}

/** A user id that owns no files. */
const nobody = 65534;

async function urlOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(line as string).url;
}

async function errorOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  expect((await once(child, "close"))[0]).toBe(1);
  return text;
}

test("acknowledged writes survive a kill", async ({ folder }) => {
  const first = run("--data-dir", folder, "--transitions", "manual");
  const cloud = apiOf(await urlOf(first));
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      cloud("POST", "/v2/deployments", githubBody({ name: `agent-${number}` })),
    ),
  );
  first.kill("SIGKILL");
  await once(first, "exit");

  const second = run("--data-dir", folder, "--transitions", "manual");
  const again = apiOf(await urlOf(second));
  for (const { body } of made) {
    const { status, body: found } = await again(
      "GET",
      `/v2/deployments/${body.id}/revisions/${body.latest_revision_id}`,
    );
    expect([status, found.id]).toEqual([200, body.latest_revision_id]);
  }
  second.kill("SIGTERM");
  expect(await once(second, "exit")).toEqual([0, null]);
});

test("a directory belongs to one server at a time", async ({ folder }) => {
  const first = await startWith(folder);
  await expect(startWith(folder)).rejects.toThrow(
    `The data directory ${folder} is in use by another mock server: stop that one, or use another directory.`,
  );
  expect(await errorOf(run("--data-dir", folder))).toBe(
    `error: The data directory ${folder} is in use by another mock server: stop that one, or use another directory.\n`,
  );
  await first.close();
  await (await startWith(folder)).close();
});

test("a failed start releases the directory", async ({ folder }) => {
  await using other = await startMockServer({ port: 0 });
  await expect(startWith(folder, { port: Number(new URL(other.url).port) })).rejects.toThrow("EADDRINUSE");
  await (await startWith(folder)).close();
});

test("only the owner can read the data directory", async ({ folder }) => {
  await using server = await startWith(folder);
  await server.cloud("POST", "/v2/deployments", githubBody());
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  expect(entries.length).toBeGreaterThan(1);
  for (const entry of entries) {
    const { mode } = await stat(join(folder, entry.name));
    expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
  }
});

test("discarding stored data needs a confirmation", async ({ folder }) => {
  await using server = await startWith(folder);
  const client = connectMockServer(server.url);
  const { body: made } = await server.cloud("POST", "/v2/deployments", githubBody());
  const snapshot = await client.snapshot.get();
  const refusal = /confirm with \?confirm=true/;
  await expect(client.reset()).rejects.toThrow(refusal);
  await expect(client.snapshot.put(snapshot)).rejects.toThrow(refusal);
  await expect(server.reset()).rejects.toThrow(refusal);
  await expect(server.snapshot.put(snapshot)).rejects.toThrow(refusal);
  expect((await server.cloud("GET", `/v2/deployments/${made.id}`)).status).toBe(200);
  await client.reset({ confirm: true });
  expect((await server.cloud("GET", `/v2/deployments/${made.id}`)).status).toBe(404);
  await client.snapshot.put(snapshot, { confirm: true });
  expect((await server.cloud("GET", `/v2/deployments/${made.id}`)).status).toBe(200);
  await server.close();
  await using later = await startWith(folder);
  expect((await later.cloud("GET", `/v2/deployments/${made.id}`)).status).toBe(200);
});

test("identifiers from a seed aren't reused after a server was killed", async ({ folder }) => {
  const ids: string[] = [];
  for (let start = 0; start < 3; start++) {
    const child = run("--data-dir", folder, "--seed", "7");
    const cloud = apiOf(await urlOf(child));
    // A seed that is undone consumes identifiers, too.
    const twice = { ...githubBody({ name: "agent" }), tenant_id: "another" };
    expect((await cloud("POST", "/_mock/seed", { deployments: [twice, twice] })).status).toBe(400);
    ids.push((await cloud("POST", "/v2/deployments", githubBody({ name: `agent-${start}` }))).body.id);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(new Set(ids).size).toBe(3);
});

test("identifiers from a seed aren't reused by a later server", async ({ folder }) => {
  const ids: string[] = [];
  for (let start = 0; start < 3; start++) {
    await using server = await startWith(folder, { seed: 7 });
    ids.push((await server.cloud("POST", "/v2/deployments", githubBody({ name: `agent-${start}` }))).body.id);
  }
  expect(new Set(ids).size).toBe(3);
});

test("configured deployments are created in an empty data directory only", async ({ folder }) => {
  const config = `${folder}.yaml`;
  await writeFile(
    config,
    `deployments:
  - name: configured
    source: github
    source_config: { repo_url: https://github.com/acme/agents }
    source_revision_config: { repo_ref: main, graph_config_path: graph.json }
`,
  );
  const namesOf = async (url: string) =>
    (await apiOf(url)("GET", "/v2/deployments")).body.resources.map(({ name }: { name: string }) => name);
  const first = run("--data-dir", folder, "--config", config, "--transitions", "immediate");
  const url = await urlOf(first);
  expect(await namesOf(url)).toEqual(["configured"]);
  await apiOf(url)("POST", "/v2/deployments", githubBody({ name: "other" }));
  const { id } = (await apiOf(url)("GET", "/v2/deployments?name=configured")).body.resources[0];
  await apiOf(url)("DELETE", `/v2/deployments/${id}`);
  first.kill("SIGTERM");
  await once(first, "exit");
  const second = run("--data-dir", folder, "--config", config);
  expect(await namesOf(await urlOf(second))).toEqual(["other"]);
  second.kill("SIGTERM");
  await once(second, "exit");
});

test("a folder that can't be a data directory is refused in one sentence and left unchanged", async ({ folder }) => {
  await writeFile(folder, "a file");
  await expect(startWith(folder)).rejects.toThrow(`The data directory ${folder} can't be used: ${folder} is a file.`);
  const below = join(folder, "deeper", "data");
  await expect(startWith(below)).rejects.toThrow(`The data directory ${below} can't be used: ${folder} is a file.`);
  await rm(folder);
  await (await startWith(folder)).close();
  const file = dataFile(folder);

  const refusesToTouch = async (message: string) => {
    await chmod(file, 0o644);
    const before = await readFile(file);
    await expect(startWith(folder)).rejects.toThrow(message);
    expect((await readFile(file)).equals(before)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  };
  await writeFile(file, "no database, but a text that is longer than the head of one would be".repeat(20));
  await refusesToTouch(`${file} isn't a mock server's: use another data directory.`);

  for (const content of ["CREATE TABLE notes (text)", "PRAGMA application_id = 77"]) {
    await rm(file);
    const foreign = new DatabaseSync(file);
    foreign.exec(content);
    foreign.close();
    await refusesToTouch(`${file} isn't a mock server's: use another data directory.`);
  }
  await rm(file);

  await (await startWith(folder)).close();
  const newer = new DatabaseSync(file);
  newer.exec("PRAGMA user_version = 3");
  newer.close();
  await refusesToTouch(
    `The data directory ${folder} was written in format 3, but this version reads formats up to 2: use the version that wrote it, or another directory.`,
  );
  const newerTables = new DatabaseSync(file);
  newerTables.exec("PRAGMA user_version = 2; UPDATE schemas SET version = 9 WHERE name = 'control plane'");
  newerTables.close();
  await refusesToTouch(
    `The data directory ${folder} was written by a newer version: use that one, or another directory.`,
  );
});

test.runIf(process.platform === "linux")("a folder that can't be created is refused in one sentence", async () => {
  await expect(startWith("/proc/graphdeploy/data")).rejects.toThrow(
    "The data directory /proc/graphdeploy/data can't be created there: use another directory.",
  );
});

test("an error about unreadable data names the directory", async ({ folder }) => {
  const first = await startWith(folder);
  const { body } = await first.cloud("POST", "/v2/deployments", githubBody());
  await first.close();
  const change = (sql: string) => {
    const database = new DatabaseSync(dataFile(folder));
    database.exec(sql);
    database.close();
  };
  change("UPDATE deployments SET secrets = '{'");
  await expect(startWith(folder)).rejects.toThrow(
    `The data directory ${folder} can't be used. The record ${body.id} of the table deployments is damaged: its secrets isn't JSON.`,
  );
  change("UPDATE settings SET value = '5' WHERE name = 'signing-key'");
  await expect(startWith(folder)).rejects.toThrow(
    `The data directory ${folder} can't be used. The record signing-key of the table settings is damaged: its value has another shape than a server writes.`,
  );
});

test("a damaged file is refused in one sentence and left unchanged", async ({ folder }) => {
  const first = await startWith(folder);
  await first.seed({ deployments: [{ ...githubBody({ name: "agent-{n}" }), count: 100 } as never] });
  await first.close();
  const whole = await readFile(dataFile(folder));
  const garbled = Buffer.from(whole);
  garbled.fill(0xff, 5 * 4096, 6 * 4096);
  for (const damaged of [whole.subarray(0, whole.length / 2), garbled, whole.subarray(0, 200)]) {
    await writeFile(dataFile(folder), damaged);
    await expect(startWith(folder)).rejects.toThrow(
      /^The data directory .* can't be used: the file is damaged \(.*\)\.$/s,
    );
    expect((await readFile(dataFile(folder))).equals(damaged)).toBe(true);
  }
  await writeFile(dataFile(folder), whole);
  await (await startWith(folder)).close();
});

test("a directory that can't be written to is refused in one sentence", async ({ folder }) => {
  await (await startWith(folder)).close();
  const before = await readFile(dataFile(folder));
  // File modes don't stop root from writing, so the server runs as another user.
  const isRoot = process.getuid?.() === 0;
  await chmod(dataFile(folder), 0o444);
  await chmod(folder, 0o555);
  await chmod(dirname(folder), 0o755);
  const child = spawn(process.execPath, [program, "--port", "0", "--data-dir", folder], isRoot ? { uid: nobody } : {});
  expect(await errorOf(child)).toBe(
    `error: The data directory ${folder} can't be written to: make it writable, or use another directory.\n`,
  );
  await chmod(folder, 0o700);
  expect((await readFile(dataFile(folder))).equals(before)).toBe(true);
});

test("a directory of format 1 is migrated completely", async ({ folder }) => {
  const fixture = fileURLToPath(new URL("../../fixtures/data-directory-format-1", import.meta.url));
  await mkdir(folder);
  await copyFile(join(fixture, "mock-server.sqlite"), dataFile(folder));
  const { content } = JSON.parse(await readFile(join(fixture, "snapshot.json"), "utf8"));
  const { sequence: _, ...records } = content;
  const first = await startWith(folder, { seed: 7 });
  expect(first.clock.now()).toBe(1795875900000);
  expect((await first.snapshot.get()).content).toMatchObject(records);
  const { resources } = (await first.cloud("GET", "/v2/deployments")).body;
  expect(resources.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
    ["third", "READY"],
    ["first", "READY"],
  ]);
  expect(await readdir(join(folder, "uploads"))).toHaveLength(1);
  const ids = new Set(content.deployments.map(({ id }: { id: string }) => id));
  const { body: made } = await first.cloud("POST", "/v2/deployments", githubBody({ name: "later" }));
  expect(ids.has(made.id)).toBe(false);
  const before = (await first.snapshot.get()).content;
  await first.close();
  await using second = await startWith(folder);
  expect((await second.snapshot.get()).content).toEqual(before);
});

test("a directory of format 1 with an unreadable record keeps all of its records", async ({ folder }) => {
  const fixture = fileURLToPath(new URL("../../fixtures/data-directory-format-1/mock-server.sqlite", import.meta.url));
  await mkdir(folder);
  await copyFile(fixture, dataFile(folder));
  const change = (sql: string) => {
    const database = new DatabaseSync(dataFile(folder));
    database.exec(sql);
    database.close();
  };
  change("INSERT INTO records (kind, id, value) VALUES ('deployments', 'x', '{\"id\":\"x\",\"sequence\":1}')");
  await expect(startWith(folder)).rejects.toThrow(`The data directory ${folder} can't be used: x of deployments: `);
  // The format is unchanged, so the earlier version can still open the file.
  const database = new DatabaseSync(dataFile(folder));
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  database.close();
  change("DELETE FROM records WHERE id = 'x'");
  await using server = await startWith(folder);
  expect((await server.snapshot.get()).content.deployments).toHaveLength(4);
});

test("a folder's name may look like a SQLite URI", async ({ folder }) => {
  await mkdir(folder);
  const child = spawn(process.execPath, [program, "--port", "0", "--log-format", "json", "--data-dir", "file:data"], {
    cwd: folder,
  });
  await urlOf(child);
  expect(await readdir(folder)).toEqual(["file:data"]);
  expect((await stat(join(folder, "file:data", "mock-server.sqlite"))).size).toBeGreaterThan(0);
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("an invalid snapshot changes nothing", async ({ folder }) => {
  const first = await startWith(folder);
  await first.cloud("POST", "/v2/deployments", githubBody());
  const before = (await first.snapshot.get()).content;
  const client = apiOf(first.url);
  const broken: [number, (snapshot: Awaited<ReturnType<typeof first.snapshot.get>>) => void][] = [
    [
      400,
      ({ content }) =>
        Object.assign(content.deployments[0] as object, {
          sourceConfig: { repo_url: 5, build_on_push: true },
          revisionConfig: { repo_ref: "main" },
        }),
    ],
    [400, ({ content }) => content.collections.oauthClients.push({ id: "one", redirectUris: [], secret: 5 })],
    [422, ({ content }) => content.deployments.push(content.deployments[0] as never)],
    [422, ({ content }) => content.revisions.push(content.revisions[0] as never)],
  ];
  for (const [status, spoil] of broken) {
    const snapshot = await first.snapshot.get();
    spoil(snapshot);
    const response = await client("PUT", "/_mock/snapshot?confirm=true", {
      ...snapshot,
      transitions: { mode: "manual" },
    });
    expect(response.status, JSON.stringify(response.body)).toBe(status);
    expect((await first.snapshot.get()).content).toEqual(before);
    expect(first.transitions.get().mode).toBe("immediate");
  }
  await first.close();
  await using second = await startWith(folder);
  expect((await second.snapshot.get()).content).toEqual(before);
});

test("a process killed while seeding stores no part of the seed", async ({ folder }) => {
  const first = run("--data-dir", folder, "--transitions", "immediate");
  const url = await urlOf(first);
  const seeding = apiOf(url)("POST", "/_mock/seed", {
    deployments: [{ ...githubBody({ name: "agent-{n}" }), count: 100_000 }],
  }).catch(() => "broken off");
  // The write-ahead log contains the uncommitted part of the seed.
  const isSeeding = async () => (await stat(`${dataFile(folder)}-wal`)).size > 1_000_000;
  await until(isSeeding);
  first.kill("SIGKILL");
  expect(await seeding).toBe("broken off");
  await using second = await startWith(folder);
  expect((await second.snapshot.get()).content.deployments).toHaveLength(0);
});

test("signed URLs stay valid after a restart", async ({ folder }) => {
  const first = await startWith(folder);
  const { body: made } = await first.cloud("POST", "/v2/deployments", {
    ...githubBody({ name: "uploaded" }),
    source: "internal_source",
    source_config: {},
    source_revision_config: {},
  });
  const { body } = await first.cloud("POST", `/v2/deployments/${made.id}/upload-url`, {});
  await first.close();
  await using second = await startWith(folder);
  const { pathname, search } = new URL(body.upload_url);
  expect((await fetch(second.url + pathname + search, { method: "PUT", body: "no tarball" })).status).toBe(200);
});

test("closing twice waits for the same shutdown", async ({ folder }) => {
  const server = await startWith(folder);
  void server.close();
  await server.close();
  await (await startWith(folder)).close();
});
