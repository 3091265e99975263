import { request } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { lastValue } from "../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../mock-server/agent-server/engine/scripted-graph.ts";
import { EventLog } from "../../../mock-server/kit/event-log.ts";
import { parseEvents, startAgent, thread, until } from "../../kit/agent-server/agent.ts";

const hello = { messages: [{ role: "user", content: "hi you", id: "h1" }] };
const names = (events: { event: string }[]) => events.map(({ event }) => event);

test("a stream starts with its metadata, and its headers have the run's location", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}`;
  await agent.call("POST", "/threads", { thread_id: thread(1) });
  const response = await fetch(`${agent.url}${path}/runs/stream`, {
    method: "POST",
    body: JSON.stringify({ assistant_id: "chat", input: hello }),
  });
  const events = parseEvents(await response.text());
  expect(events[0]).toEqual({ event: "metadata", data: { run_id: expect.any(String), attempt: 1 } });
  const run = `${path}/runs/${events[0]?.data.run_id}`;
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("content-location")).toBe(run);
  expect(response.headers.get("location")).toBe(`${run}/stream`);
  expect((await agent.call("GET", run)).body.status).toBe("success");
});

test("headers are sent before the first event", async () => {
  await using agent = await startAgent({ workers: 1 });
  const stop = new AbortController();
  await agent.call("POST", "/runs", { assistant_id: "delay", input: { ms: 60_000 } });
  const waiting = await fetch(`${agent.url}/runs/stream`, {
    method: "POST",
    body: JSON.stringify({ assistant_id: "chat", input: hello }),
    signal: stop.signal,
  });
  expect(waiting.status).toBe(200);
  stop.abort();
});

test.each([
  ["values", ["values", "values"]],
  ["updates", ["updates"]],
  ["messages-tuple", ["messages", "messages", "messages"]],
  [
    "messages",
    [
      "messages/complete",
      "messages/metadata",
      "messages/partial",
      "messages/partial",
      "messages/partial",
      "messages/complete",
    ],
  ],
  ["tasks", ["tasks", "tasks"]],
  ["checkpoints", ["checkpoints", "checkpoints", "checkpoints"]],
  ["debug", ["debug", "debug", "debug", "debug", "debug"]],
  ["custom", []],
])("the stream mode %s has the expected events in order", async (mode, expected) => {
  await using agent = await startAgent();
  const body = { assistant_id: "chat", input: hello, stream_mode: mode, if_not_exists: "create" };
  const events = await agent.events("POST", `/threads/${thread(1)}/runs/stream`, body);
  expect(names(events)).toEqual(["metadata", ...expected]);
});

test("an unknown stream mode is reported with the known ones", async () => {
  await using agent = await startAgent();
  const refusal = {
    status: 422,
    body: { detail: expect.stringMatching(/which "all" isn't; the modes are values, .*lifecycle/) },
  };
  const body = { assistant_id: "chat", input: hello };
  expect(await agent.call("POST", "/runs/stream", { ...body, stream_mode: "all" })).toMatchObject(refusal);
  expect(await agent.call("POST", "/runs/stream", { ...body, stream_mode: ["values", "all"] })).toMatchObject(refusal);
  const path = `/threads/${thread(1)}`;
  await agent.call("POST", `${path}/runs/wait`, { ...body, if_not_exists: "create", stream_mode: ["lifecycle"] });
  const [run] = (await agent.call("GET", `${path}/runs`)).body;
  expect(await agent.call("GET", `${path}/runs/${run.run_id}/stream?stream_mode=all`)).toMatchObject(refusal);
});

test("a checkpoint event has its location, its parent and the next nodes", async () => {
  await using agent = await startAgent();
  const body = { assistant_id: "chat", input: hello, stream_mode: ["checkpoints", "debug"], if_not_exists: "create" };
  const events = await agent.events("POST", `/threads/${thread(1)}/runs/stream`, body);
  const [first, second] = events.filter(({ event }) => event === "checkpoints").map(({ data }) => data);
  expect(first.parent_config).toBe(null);
  expect(second.parent_config).toEqual(first.config);
  expect(second.config.configurable).toMatchObject({ thread_id: thread(1), checkpoint_ns: "" });
  const task = { error: null, interrupts: [], checkpoint: null, state: null };
  expect(second.tasks).toMatchObject([{ ...task, name: "model" }]);
  const debug = events.filter(({ data }) => data.type === "checkpoint").map(({ data }) => data.payload);
  expect(debug[1]).toMatchObject(second);
});

test("several stream modes share one stream, with the mode as the name of each event", async () => {
  await using agent = await startAgent();
  const body = { assistant_id: "tools", input: { messages: "Rome" }, stream_mode: ["updates", "tools", "values"] };
  expect(names(await agent.events("POST", "/runs/stream", body)).slice(1, 7)).toEqual([
    "values",
    "updates",
    "values",
    "tools",
    "tools",
    "updates",
  ]);
});

test("the mode events has events of the graph, its nodes and the model", async () => {
  await using agent = await startAgent();
  const events = await agent.events("POST", "/runs/stream", {
    assistant_id: "chat",
    input: hello,
    stream_mode: "events",
  });
  const kinds = events.slice(1).map(({ data }) => data.event);
  expect(kinds[0]).toBe("on_chain_start");
  expect(kinds.filter((kind) => kind === "on_chat_model_stream")).toHaveLength(3);
  expect(kinds.at(-1)).toBe("on_chain_end");
});

test("messages have their node under both field names, and the tags of the model call", async () => {
  const graph: ScriptedGraph = {
    id: "tagged",
    channels: { text: lastValue("") },
    nodes: { speak: async (_, node) => ({ text: (await node.say(["a"], { tags: ["joke"] })).content }) },
    edges: { __start__: "speak" },
  };
  await using agent = await startAgent({ graphs: [graph] });
  const [, events] = await agent.events("POST", "/runs/stream", {
    assistant_id: "tagged",
    input: {},
    stream_mode: "messages-tuple",
  });
  expect(events?.data[0]).toMatchObject({ type: "ai", content: "a" });
  expect(events?.data[1]).toMatchObject({
    tags: ["joke"],
    graph_node: "speak",
    langgraph_node: "speak",
    graph_step: 1,
  });
});

test("events of subgraphs have their namespace, and come only when requested", async () => {
  await using agent = await startAgent();
  const body = { assistant_id: "subgraph", input: { topic: "x" }, stream_mode: ["custom", "updates"] };
  const without = await agent.events("POST", "/runs/stream", body);
  expect(without.some(({ event }) => event.includes("|"))).toBe(false);
  const events = await agent.events("POST", "/runs/stream", { ...body, stream_subgraphs: true });
  expect(names(events).filter((name) => name.startsWith("custom"))).toEqual([
    "custom",
    expect.stringMatching(/^custom\|child:[0-9a-f-]{36}$/),
  ]);
});

test("joining streams new events only, unless earlier ones of a resumable run are requested", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}/runs`;
  const create = (resumable: boolean) =>
    agent.call("POST", path, {
      assistant_id: "delay",
      input: { ms: 4000, steps: 4 },
      stream_mode: "custom",
      stream_resumable: resumable,
      if_not_exists: "create",
    });
  for (const resumable of [true, false]) {
    const { body: run } = await create(resumable);
    await until(async () => (await agent.call("GET", `${path}/${run.run_id}`)).body.status === "running");
    agent.clock.advance("1s");
    const response = await fetch(`${agent.url}${path}/${run.run_id}/stream`);
    const replay = await fetch(`${agent.url}${path}/${run.run_id}/stream`, { headers: { "last-event-id": "-" } });
    await until(async () => {
      agent.clock.advance("1s");
      return (await agent.call("GET", `${path}/${run.run_id}`)).body.status === "success";
    });
    const live = parseEvents(await response.text());
    expect(live.at(-1)?.data.step).toBe(4);
    expect(live[0]?.event).toBe("custom");
    expect(names(parseEvents(await replay.text()))[0]).toBe(resumable ? "metadata" : "custom");
  }
});

test("a run whose client disconnects is cancelled if that was requested", async () => {
  await using agent = await startAgent();
  const path = `/threads/${thread(1)}/runs`;
  const statusAfterLeaving = async (onDisconnect: string) => {
    const stop = new AbortController();
    await agent.call("POST", "/threads", { thread_id: thread(1), if_exists: "do_nothing" });
    const response = await fetch(`${agent.url}${path}/stream`, {
      method: "POST",
      body: JSON.stringify({
        assistant_id: "delay",
        input: {},
        on_disconnect: onDisconnect,
        multitask_strategy: "interrupt",
      }),
      signal: stop.signal,
    });
    const run = response.headers.get("content-location") as string;
    stop.abort();
    return async () => (await agent.call("GET", run)).body.status;
  };
  const cancelled = await statusAfterLeaving("cancel");
  await until(async () => (await cancelled()) === "interrupted");
  const going = await statusAfterLeaving("continue");
  await until(async () => (await going()) === "running");
});

/** Sends many events synchronously, so that no reader gets any of them before the last one is sent. */
const flood: ScriptedGraph = {
  id: "flood",
  channels: { n: lastValue(0) },
  nodes: {
    send({ n }, node) {
      for (let index = 0; index < Number(n); index++) node.write({ i: index });
    },
  },
  edges: { __start__: "send" },
};

test("a reader that never reads is cut off, and its run continues", async () => {
  await using agent = await startAgent({ graphs: [flood], streamLimits: { replay: 1000, lag: 64 * 1024 } });
  const log: string[] = [];
  const done = new Promise<void>((resolve) => {
    const sent = request(`${agent.url}/runs/stream`, { method: "POST" }, (response) => {
      response.on("end", resolve);
      response.on("data", (chunk: Buffer) => log.push(chunk.toString()));
      response.pause();
      void until(async () => (await agent.call("GET", "/metrics?format=json")).body.queue.num_running === 0).then(() =>
        response.resume(),
      );
    });
    sent.end(JSON.stringify({ assistant_id: "flood", input: { n: 50_000 }, stream_mode: "custom" }));
  });
  await done;
  expect(parseEvents(log.join("")).at(-1)).toMatchObject({ event: "error", data: { error: "StreamError" } });
});

test("events that exceed the lag limit reach a reader that reads, and can be replayed", async () => {
  const echo: ScriptedGraph = {
    id: "echo",
    channels: { text: lastValue("") },
    nodes: { echo: ({ text }) => ({ text }) },
    edges: { __start__: "echo" },
  };
  await using agent = await startAgent({ graphs: [echo] });
  const text = "x".repeat(9 * 1024 * 1024);
  const path = `/threads/${thread(1)}/runs`;
  const body = { assistant_id: "echo", input: { text }, stream_resumable: true, if_not_exists: "create" };
  const events = await agent.events("POST", `${path}/stream`, { ...body, stream_mode: ["values", "updates"] });
  expect(names(events)).toEqual(["metadata", "values", "updates", "values"]);
  expect(events.at(-1)?.data.text).toHaveLength(text.length);
  const { run_id: runId } = events[0]?.data ?? {};
  const replayed = await agent.events("GET", `${path}/${runId}/stream`, undefined, { "last-event-id": "-" });
  expect(replayed.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
});

const manyWords = { messages: "word ".repeat(3000) };

test("a long reply is streamed in batches: other requests are served in between, and readers get all of it", async () => {
  await using agent = await startAgent();
  const stream = { assistant_id: "chat", input: manyWords, stream_mode: ["messages"] };
  let hasEnded = false;
  const events = agent.events("POST", "/runs/stream", stream).finally(() => {
    hasEnded = true;
  });
  let served = 0;
  while (!hasEnded) served += (await agent.call("GET", "/ok")).status === 200 ? 1 : 0;
  expect(served).toBeGreaterThan(50);
  expect((await events).at(-1)).toMatchObject({
    event: "messages/complete",
    data: [{ content: `Echo: ${manyWords.messages}` }],
  });
});

test("a lagging reader is cut off once it reads nothing for a while or lags too far behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const log = new EventLog({ keeps: false, now: () => 0, limits: { replay: 100, lag: 1000 } });
  const publish = (count: number) => {
    for (let index = 0; index < count; index++) log.publish("custom", "custom", JSON.stringify("x".repeat(100)));
  };
  const startReading = () => {
    const reader = log.read({ heartbeatMs: 60_000 }).getReader();
    return async () => parseEvents(new TextDecoder().decode((await reader.read()).value)).map(({ event }) => event);
  };
  const read = startReading();
  for (let turn = 0; turn < 3; turn++) {
    publish(50);
    vi.advanceTimersByTime(200);
    expect(await read()).toEqual(new Array(50).fill("custom"));
  }
  publish(50);
  vi.advanceTimersByTime(250);
  expect(await read()).toEqual(["error"]);
  const readLate = startReading();
  publish(200);
  expect(await readLate()).toEqual(["error"]);
});

test("a replay of dropped events is an error, not a gap", async () => {
  const log = new EventLog({ keeps: true, now: () => 0, limits: { replay: 100, lag: 1000 } });
  for (let index = 0; index < 50; index++) log.publish("custom", "custom", String(index));
  log.end();
  const text = await new Response(log.read({ after: "0-1", heartbeatMs: 1000 })).text();
  expect(parseEvents(text)).toMatchObject([
    { event: "error", data: { message: expect.stringContaining("no longer kept") } },
  ]);
});

test("an idle stream has heartbeats", async () => {
  const log = new EventLog({ keeps: false, now: () => 0 });
  const reader = log.read({ heartbeatMs: 1 }).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(": heartbeat\n\n");
  await reader.cancel();
});

test("events are sent only after they are stored, all events of a batch together", async () => {
  const kept: string[][] = [];
  const defects: unknown[] = [];
  const full = new Error("the disk is full");
  const log = new EventLog({
    keeps: true,
    now: () => 0,
    archive: {
      append(frames) {
        if (kept.length === 2) throw full;
        kept.push(frames.map(({ text }) => text));
      },
    },
    onDefect: (error) => defects.push(error),
  });
  const reader = log.read({ after: "-", heartbeatMs: 1000 }).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  log.publish("custom", "custom", "1");
  log.publish("custom", "custom", "2");
  expect(kept).toEqual([]);
  expect(await next()).toBe(kept[0]?.join(""));
  log.publish("custom", "custom", "3");
  log.flush();
  expect(await next()).toBe(kept[1]?.join(""));
  log.publish("custom", "custom", "4");
  expect(parseEvents(await next())).toMatchObject([{ event: "error", data: { error: "StreamError" } }]);
  expect((await reader.read()).done).toBe(true);
  expect(kept.map((texts) => texts.length)).toEqual([2, 1]);
  expect(defects).toEqual([full]);
});
