import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentSchema } from "../../../../mock-server/agent-server/persistence/agent-schema.ts";
import { AgentState } from "../../../../mock-server/agent-server/persistence/agent-state.ts";
import type { ThreadRecord } from "../../../../mock-server/agent-server/persistence/records.ts";
import { createIdSource } from "../../../../mock-server/kit/ids.ts";
import { DataDirectory } from "../../../../mock-server/kit/store/data-directory.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";
import { startAgent, type TestAgent, thread } from "../../../kit/agent-server/agent.ts";
import { allChannels, endsRun, openEvents, openSocket, threadOf } from "../../../kit/agent-server/event-streaming.ts";

const time = "2026-01-01T00:00:00.000Z";
const plainThread: Omit<ThreadRecord, "thread_id"> = {
  created_at: time,
  updated_at: time,
  state_updated_at: time,
  metadata: {},
  config: {},
  status: "idle",
  values: null,
  interrupts: {},
  error: null,
  ttl: null,
};

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "events-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts an agent server with a data directory. */
async function startPersistent(folder: string): Promise<TestAgent> {
  const directory = await DataDirectory.open(folder, [agentSchema]);
  const agent = await startAgent({ database: directory.database, ids: createIdSource() });
  return {
    ...agent,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      directory.close();
      expect(agent.defects).toEqual([]);
    },
  };
}

test("after a restart, events can be replayed, and those of later runs go on counting", async () => {
  const folder = await temporaryFolder();
  const first = await startPersistent(folder);
  const before = await threadOf(first.url, first.call, thread(1)).run("events", { steps: 3 });
  await first[Symbol.asyncDispose]();
  await using second = await startPersistent(folder);
  const client = threadOf(second.url, second.call, thread(1));
  const replayed = await openEvents(second.url, thread(1), { since: 2 });
  expect(await replayed.next(endsRun)).toEqual(before.slice(2));
  expect((await client.command("agent.getTree")).result.tree.status).toBe("completed");
  const after = await client.run("events", { steps: 1 });
  expect(after[0]?.seq).toBe(before.length + 1);
  expect(await replayed.next(endsRun)).toEqual(after);
});

test("a run in progress has failed after a restart, and one that waited is executed", async () => {
  const folder = await temporaryFolder();
  const first = await startPersistent(folder);
  const client = threadOf(first.url, first.call, thread(1));
  const events = await openEvents(first.url, thread(1), { channels: ["lifecycle"] });
  await client.command("run.start", { assistant_id: "delay", input: { ms: 60_000 } });
  await client.command("run.start", { assistant_id: "events", input: { steps: 1 } });
  await events.next(() => true);
  await first[Symbol.asyncDispose]();
  await using second = await startPersistent(folder);
  const all = await openEvents(second.url, thread(1), { channels: ["lifecycle", "custom"] });
  const seen = [...(await all.next(endsRun)), ...(await all.next(endsRun))].map(({ params }) => params.data);
  expect(seen).toEqual([
    { event: "running", graph_name: "delay" },
    { event: "failed", graph_name: "delay", error: "The server ended while the run was in progress." },
    { event: "running", graph_name: "events" },
    { payload: { step: 1, of: 1 } },
    { event: "completed", graph_name: "events" },
  ]);
});

test("a deleted thread takes its events along, and a new one with its id begins with the first", async () => {
  await using agent = await startPersistent(await temporaryFolder());
  const client = threadOf(agent.url, agent.call, thread(1));
  await client.run("events", { steps: 3 });
  await agent.call("DELETE", `/threads/${thread(1)}`);
  const events = await client.run("events", { steps: 1 });
  expect(events[0]?.seq).toBe(1);
});

test("a client of an earlier server that kept nothing gets the events of the new one", async () => {
  const first = await startAgent();
  const before = await threadOf(first.url, first.call, thread(1)).run("events", { steps: 3 });
  await first[Symbol.asyncDispose]();
  await using second = await startAgent();
  second.clock.advance(1000);
  const since = before.length;
  const events = await openEvents(second.url, thread(1), { since });
  const socket = await openSocket(second.url, thread(1));
  await socket.command("subscription.subscribe", { channels: allChannels, since });
  const after = await threadOf(second.url, second.call, thread(1)).run("events", { steps: 1 });
  expect(await events.next(endsRun)).toEqual(after);
  await socket.find(endsRun);
  expect(socket.events()).toEqual(after);
  const ids = new Set(before.map(({ event_id }) => event_id));
  expect(after.filter(({ event_id }) => ids.has(event_id))).toEqual([]);
});

test("of many threads, those with the latest events keep theirs, and all keep counting and their last one", async () => {
  const database = await Database.inMemory([agentSchema]);
  let now = 0;
  const { threadEvents, threads } = AgentState.open(database, "a", () => now);
  const count = 1002;
  for (now = 1; now <= count; now++) {
    threads.insert({ ...plainThread, thread_id: thread(now) });
    const frames = [1, 2].map((number) => ({ number, mode: "", text: "event" }));
    threadEvents.append(thread(now), frames, 1, 10);
  }
  threadEvents.append(thread(1), [{ number: 3, mode: "", text: "event" }], 1, 15);
  threadEvents.trim();
  const left = Array.from({ length: count }, (_, index) => threadEvents.of(thread(index + 1)));
  expect(left.filter(({ frames }) => frames.length === 1)).toHaveLength(2);
  expect(left[0]?.frames).toHaveLength(3);
  const last = { number: 2, mode: "", text: "event" };
  expect(left.slice(1, 3)).toEqual(Array(2).fill({ frames: [last], lastNumber: 2 }));
  threadEvents.append("nowhere", [{ number: 1, mode: "", text: "event" }], 1, 5);
  expect(threadEvents.of("nowhere")).toEqual({ frames: [], lastNumber: 0 });
});

test("a thread whose events were dropped can be subscribed to, and goes on counting", async () => {
  const folder = await temporaryFolder();
  const first = await startPersistent(folder);
  const { length } = await threadOf(first.url, first.call, thread(1)).run("events", { steps: 1 });
  await first[Symbol.asyncDispose]();
  const directory = await DataDirectory.open(folder, [agentSchema]);
  directory.database.run("DELETE FROM thread_events");
  directory.close();
  await using second = await startPersistent(folder);
  const events = await threadOf(second.url, second.call, thread(1)).run("events", { steps: 1 });
  expect(events[0]?.seq).toBe(length + 1);
});
