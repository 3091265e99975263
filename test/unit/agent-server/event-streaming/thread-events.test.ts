import { expect, onTestFinished, test, vi } from "vitest";
import { ThreadEvents } from "../../../../mock-server/agent-server/event-streaming/thread-events.ts";
import { agentSchema } from "../../../../mock-server/agent-server/persistence/agent-schema.ts";
import { AgentState } from "../../../../mock-server/agent-server/persistence/agent-state.ts";
import { createClock } from "../../../../mock-server/kit/clock.ts";
import { defaultLimits, EventLog } from "../../../../mock-server/kit/event-log.ts";
import type { LogReader } from "../../../../mock-server/kit/log-reader.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";
import { startAgent, thread, until } from "../../../kit/agent-server/agent.ts";
import { endsRun, openEvents, openSocket, threadOf } from "../../../kit/agent-server/event-streaming.ts";

async function startEvents({ isBusy = false } = {}) {
  const database = await Database.inMemory([agentSchema]);
  const state = AgentState.open(database, "a", () => 0);
  const onDefect = (error: unknown) => {
    throw error;
  };
  const settings = { streamLimits: defaultLimits };
  return new ThreadEvents({ state, settings, clock: createClock(), onDefect, isBusy: () => isBusy });
}

test("a log stays in memory while somebody reads it, or a run is in progress", async () => {
  const events = await startEvents();
  const log = events.logOf("a");
  const readers = [log.open({ heartbeatMs: 1000 }), log.open({ heartbeatMs: 1000 })];
  events.release("a");
  expect(events.logOf("a")).toBe(log);
  readers[0]?.cancel();
  readers[1]?.cut("too far behind");
  expect(await readers[1]?.next()).toHaveLength(1);
  expect(await readers[1]?.next()).toBeUndefined();
  events.release("a");
  expect(events.logOf("a")).not.toBe(log);

  const busy = await startEvents({ isBusy: true });
  const used = busy.logOf("a");
  busy.release("a");
  expect(busy.logOf("a")).toBe(used);
});

test("events that aren't of the protocol are dropped", async () => {
  const events = await startEvents();
  const log = events.logOf("a");
  for (const head of ["", "{", "null", '{"method":1}', '{"method":"values"}', '{"method":"","namespace":[]}']) {
    events.publish("a", head, "{}");
  }
  events.publish("a", '{"method":"lifecycle","namespace":[]}', "{");
  expect(log.lastNumber).toBe(0);
  events.publish("a", '{"method":"values","namespace":[]}', "{}");
  expect(log.lastNumber).toBe(1);
});

test("no reader outlives its connection", async () => {
  const opened = vi.spyOn(EventLog.prototype, "open");
  onTestFinished(() => opened.mockRestore());
  await using agent = await startAgent();
  const client = threadOf(agent.url, agent.call, thread(1));
  await client.run("events", { steps: 1 });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(agent.url, thread(1))));
  const streams = await Promise.all(Array.from({ length: 20 }, () => openEvents(agent.url, thread(1))));
  for (const one of sockets) await one.command("subscription.subscribe", { channels: ["lifecycle"] });
  await Promise.all(streams.map((one) => one.next(endsRun)));
  const readers = () => opened.mock.results.map(({ value }) => value as LogReader);
  expect(readers().filter(({ hasEnded }) => !hasEnded).length).toBeGreaterThanOrEqual(40);
  for (const { socket } of sockets) socket.terminate();
  for (const stream of streams) stream.leave();
  await until(async () => readers().filter(({ hasEnded }) => !hasEnded).length <= 1);
  expect(agent.defects).toEqual([]);
});

test("an event that is held back comes before later ones, however those reach the reader", async () => {
  const log = new EventLog({ keeps: true, now: () => 0, format: (number) => String(number) });
  const reader = log.open({ heartbeatMs: 1000, holdBack: ({ number }) => (number % 2 === 1 ? 1000 : 0) });
  for (let number = 1; number <= 5; number++) log.publish("custom", "custom", "1");
  reader.cancel();
  const replaying = log.open({ heartbeatMs: 1000, holdBack: ({ number }) => (number % 2 === 1 ? 1000 : 0) });
  for (const frame of log.kept) replaying.replay(frame);
  log.end();
  expect(await replaying.next()).toEqual(["1", "2", "3", "4", "5"]);
});

test("a long log keeps its last events", async () => {
  const log = new EventLog({ keeps: true, now: () => 0, limits: { replay: 5000, lag: 1 }, format: () => "1" });
  for (let number = 1; number <= 20_000; number++) log.publish("custom", "custom", "1");
  expect(log.kept.map(({ number }) => number)).toEqual(Array.from({ length: 5000 }, (_, index) => 15_001 + index));
  expect(log.replaySize).toBe(5000);
  log.end();
  expect((await log.open({ heartbeatMs: 1000, after: "19998" }).next())?.length).toBe(2);
});
