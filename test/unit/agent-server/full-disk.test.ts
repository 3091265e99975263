import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { Database, StorageError } from "../../../mock-server/kit/store/database.ts";
import { startAgent, thread, until } from "../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";
import { openEvents, openSocket, threadOf } from "../../kit/agent-server/event-streaming.ts";

test("a full disk fails writes, and the server keeps running", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = Database.over(connection);
  database.migrate([agentSchema]);
  const limit = (pages: number) => connection.exec(`PRAGMA max_page_count = ${pages}`);
  await using agent = await startAgent({ database });
  const path = `/threads/${thread(1)}`;
  const body = {
    assistant_id: "delay",
    input: { ms: 200_000, steps: 200 },
    stream_resumable: true,
    stream_mode: "custom",
  };
  await agent.call("POST", "/threads", { thread_id: thread(1) });
  const response = await fetch(`${agent.url}${path}/runs/stream`, { method: "POST", body: JSON.stringify(body) });
  await until(async () => (await agent.call("GET", path)).body.status === "busy");
  await until(async () => (await agent.call("GET", "/metrics?format=json")).body.queue.num_running === 1);
  const { page_count: pages } = connection.prepare("PRAGMA page_count").get() as { page_count: number };
  limit(pages);
  const big = { namespace: ["a"], key: "k", value: { text: "x".repeat(1_000_000) } };
  expect((await agent.call("PUT", "/store/items", big)).status).toBe(507);
  expect((await agent.call("GET", path)).status).toBe(200);
  for (let n = 0; n < 200; n++) {
    const { status } = await agent.call("PUT", "/store/items", {
      ...big,
      key: String(n),
      value: { n: "y".repeat(100) },
    });
    if (status === 500) break;
  }
  await until(async () => {
    agent.clock.advance("1s");
    return (await agent.call("GET", "/metrics?format=json")).body.queue.num_running === 0;
  });
  expect(await response.text()).toContain("event: error");
  limit(pages * 100);
  expect((await agent.call("PUT", "/store/items", big)).status).toBe(204);
  const run = { assistant_id: "delay", input: { ms: 0 } };
  expect((await agent.call("POST", `${path}/runs/wait`, run)).status).toBe(200);
  expect(agent.defects.every((defect) => defect instanceof StorageError)).toBe(true);
  expect(agent.defects.length).toBeGreaterThan(0);
}, 20_000);

test("when a thread's events can't be stored, its readers are cut off, and the run continues", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = Database.over(connection);
  database.migrate([agentSchema]);
  connection.exec("CREATE TRIGGER full BEFORE INSERT ON thread_events BEGIN SELECT RAISE(ABORT, 'no room'); END");
  await using agent = await startAgent({ database });
  const client = threadOf(agent.url, agent.call, thread(1));
  const events = await openEvents(agent.url, thread(1));
  const socket = await openSocket(agent.url, thread(1));
  await socket.command("subscription.subscribe", { channels: ["custom"] });
  await client.command("run.start", { assistant_id: "delay", input: { ms: 1000 } });
  expect(await events.frame()).toContain("can't be stored any longer");
  expect((await socket.closed).code).toBe(4429);
  connection.exec("DROP TRIGGER full");
  agent.clock.advance("1s");
  await until(async () => (await agent.call("GET", `/threads/${thread(1)}`)).body.status === "idle");
  expect(agent.defects).toEqual([expect.objectContaining({ message: "no room" })]);
  const later = await client.run("events", { steps: 1 });
  expect(later.map(({ params }) => params.data)).toContainEqual({ payload: { step: 1, of: 1 } });
}, 20_000);

test("a run of a compiled graph whose checkpoints can't be stored fails", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = Database.over(connection);
  database.migrate([agentSchema]);
  connection.exec("CREATE TRIGGER full BEFORE INSERT ON checkpoints BEGIN SELECT RAISE(ABORT, 'no room'); END");
  const defects: unknown[] = [];
  await using worker = await startProject("basics", { onDefect: (error) => defects.push(error) });
  await using agent = await startAgentOf(worker, { database });
  const body = { assistant_id: "trivial", input: { value: "a" }, if_not_exists: "create" };
  const { body: ended } = await agent.call("POST", `/threads/${thread(1)}/runs/wait`, body);
  expect(ended.__error__).toMatchObject({ message: "no room" });
  expect((await agent.call("GET", `/threads/${thread(1)}/runs`)).body).toMatchObject([{ status: "error" }]);
  expect(defects.length).toBeGreaterThan(0);
});

test("an update of a compiled graph's state that can't be stored fails", async () => {
  await using worker = await startProject("basics", { onDefect: () => undefined });
  const graph = worker.graphs.find(({ id }) => id === "trivial");
  const full = async () => {
    throw new StorageError("The disk is full");
  };
  const changed = graph?.update({
    threadId: thread(1),
    settings: { config: {}, context: {} },
    checkpoints: {
      get: async () => undefined,
      list: async () => [],
      writes: async () => [],
      put: full,
      putWrites: full,
    },
    from: undefined,
    supersteps: [[{ values: { value: "b" }, asNode: "one" }]],
    metadata: {},
    configurable: {},
    now: Date.now,
    uuid: randomUUID,
  });
  await expect(changed).rejects.toThrow("The disk is full");
});
