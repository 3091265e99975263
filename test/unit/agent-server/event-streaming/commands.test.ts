import { expect, test } from "vitest";
import { lastValue } from "../../../../mock-server/agent-server/engine/channels.ts";
import type { ScriptedGraph } from "../../../../mock-server/agent-server/engine/scripted-graph.ts";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { startAgent, thread } from "../../../kit/agent-server/agent.ts";
import { endsRun, openEvents, type ProtocolEvent, shown, threadOf } from "../../../kit/agent-server/event-streaming.ts";

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const meta = { thread_id: thread(1), applied_through_seq: expect.any(Number) };

/** Asks two questions at once. */
const survey: ScriptedGraph = {
  id: "survey",
  channels: { one: lastValue(null), two: lastValue(null) },
  nodes: {
    first: (_, node) => ({ one: node.interrupt("one?") }),
    second: (_, node) => ({ two: node.interrupt("two?") }),
  },
  edges: { __start__: ["first", "second"] },
};

async function startStreaming() {
  const agent = await startAgent({ graphs: [...builtInGraphs, survey] });
  return Object.assign(agent, { client: threadOf(agent.url, agent.call, thread(1)) });
}

const requested = (events: ProtocolEvent[]) =>
  events.filter(({ method }) => method === "input.requested").map(({ params }) => params.data);

test.each([
  ["no body", "", null, "not valid JSON"],
  ["no JSON", '{"id":1', null, "not valid JSON"],
  ["deep JSON", `${"[".repeat(600)}${"]".repeat(600)}`, null, "nested"],
  ["a list", "[]", null, "command: Input should be a valid dictionary"],
  ["no id", '{"method":"run.start"}', null, "command.id: Field required"],
  ["an id that is text", '{"id":"1","method":"run.start"}', null, "command.id"],
  ["an id below zero", '{"id":-1,"method":"run.start"}', null, "command.id"],
  ["no method", '{"id":4}', 4, "command.method: Field required"],
  ["a method that is a number", '{"id":4,"method":5}', 4, "command.method: Input should be a valid string"],
  ["parameters that are a list", '{"id":4,"method":"run.start","params":[]}', 4, "command.params"],
])("%s is no command: a 400 with the protocol's error", async (_, body, id, message) => {
  await using agent = await startStreaming();
  const response = await agent.call("POST", `/threads/${thread(1)}/commands`, body);
  const error = { type: "error", id, error: "invalid_argument", message: expect.stringContaining(message) };
  expect(response).toMatchObject({ status: 400, body: error });
});

test("the server says that it streams events", async () => {
  await using agent = await startAgent();
  expect((await agent.call("GET", "/info")).body.flags).toMatchObject({ event_streaming: true });
});

test("a body that isn't UTF-8 is no command, and one over the limit is a 413", async () => {
  await using agent = await startStreaming();
  const path = `/threads/${thread(1)}/commands`;
  const error = { type: "error", id: null, error: "invalid_argument", message: expect.stringContaining("UTF-8") };
  expect(await agent.call("POST", path, new Uint8Array([0xff]))).toMatchObject({ status: 400, body: error });
  const text = "x".repeat(4 * 1024 * 1024);
  const start = (input: unknown) => ({ id: 1, method: "run.start", params: { assistant_id: "chat", input } });
  expect((await agent.call("POST", path, start({ messages: [text] }))).status).toBe(200);
  expect((await agent.call("POST", path, start(text.repeat(5)))).status).toBe(413);
});

test.each([
  ["nope", {}, "unknown_command", "Unknown command: nope"],
  ["toString", {}, "unknown_command", "Unknown command: toString"],
  ["run.start", {}, "invalid_argument", "params.assistant_id: Field required"],
  ["run.start", { assistant_id: "nobody", input: {} }, "invalid_argument", "nobody"],
  ["run.start", { assistant_id: "chat", config: 1 }, "invalid_argument", "params.config"],
  ["run.start", { assistant_id: "chat", multitaskStrategy: "never" }, "invalid_argument", "params.multitaskStrategy"],
  ["input.respond", {}, "invalid_argument", "params"],
  ["input.respond", { responses: [] }, "invalid_argument", "params.responses"],
  ["input.respond", { interrupt_id: "a", response: 1 }, "no_such_run", "not found"],
  ["input.inject", { message: { role: "user", content: "hi" } }, "not_supported", "run.start"],
  ["state.get", {}, "no_such_run", "not found"],
  ["state.get", { namespace: "a" }, "invalid_argument", "params.namespace"],
  ["state.listCheckpoints", {}, "no_such_run", "not found"],
  ["state.listCheckpoints", { limit: 0 }, "invalid_argument", "params.limit"],
  ["state.fork", {}, "invalid_argument", "params.checkpoint_id: Field required"],
  ["state.fork", { checkpoint_id: "a" }, "no_such_run", "not found"],
  ["agent.getTree", {}, "no_such_run", "not found"],
  ["subscription.subscribe", { channels: ["values"] }, "not_supported", "WebSocket"],
  ["subscription.unsubscribe", { subscription_id: "a" }, "not_supported", "WebSocket"],
  ["subscription.reconnect", { run_id: "a" }, "not_supported", "Subscribe again"],
])("%s with %j is %s", async (method, params, error, message) => {
  await using agent = await startStreaming();
  const response = await agent.client.command(method, params);
  expect(response).toEqual({ type: "error", id: 1, error, message: expect.stringContaining(message), meta });
  expect(agent.defects).toEqual([]);
});

test("run.start makes the thread, and starts an ordinary run with its config and its metadata", async () => {
  await using agent = await startStreaming();
  const params = {
    assistant_id: "events",
    input: { steps: 1 },
    config: { configurable: { tone: "kind" } },
    metadata: { trigger: "test" },
  };
  const started = await agent.client.command("run.start", params);
  const before = { ...meta, applied_through_seq: 0 };
  expect(started).toEqual({ type: "success", id: 1, result: { run_id: uuid }, meta: before });
  const run = await agent.call("GET", `/threads/${thread(1)}/runs/${started.result.run_id}`);
  expect(run.body).toMatchObject({
    metadata: { trigger: "test", graph_id: "events" },
    kwargs: { input: { steps: 1 }, config: { configurable: { tone: "kind" } }, subgraphs: true },
    multitask_strategy: "enqueue",
  });
});

test("input.respond continues with the answer, and an update and a destination in the same step", async () => {
  await using agent = await startStreaming();
  const events = await agent.client.run("approval", { log: ["x"] });
  const [{ interrupt_id: id, payload }] = requested(events) as [{ interrupt_id: string; payload: unknown }];
  expect(payload).toEqual({ question: "approve?", log: ["x"] });
  expect(await agent.client.command("input.respond", { interrupt_id: "0".repeat(32), response: 1 })).toMatchObject({
    error: "no_such_interrupt",
    message: expect.stringContaining(id),
  });
  const later = await openEvents(agent.url, thread(1), { since: events.length });
  const answer = {
    namespace: [],
    interrupt_id: id,
    response: "yes",
    update: { log: ["between"] },
    goto: "act",
    metadata: { trigger: "answer" },
  };
  expect(await agent.client.command("input.respond", answer)).toMatchObject({ type: "success", result: {} });
  const rest = await later.next(endsRun);
  expect(rest.find(({ method }) => method === "input.answered")?.params.data).toEqual({ interrupt_ids: [id] });
  expect((await agent.client.command("state.get")).result.values).toEqual({
    log: ["x", "between", "done"],
    answer: null,
  });
  const { body: runs } = await agent.call("GET", `/threads/${thread(1)}/runs`);
  expect(runs[0].metadata.trigger).toBe("answer");
  expect((await agent.client.command("input.respond", answer)).error).toBe("no_such_interrupt");
});

test("an answer with an update leaves the graph where it was, and the next checkpoint has both", async () => {
  await using agent = await startStreaming();
  const events = await agent.client.run("approval", { log: ["x"] });
  const [{ interrupt_id: id } = {}] = requested(events);
  const later = await openEvents(agent.url, thread(1), { since: events.length });
  const given = { interrupt_id: id, response: "yes", update: { log: ["between"] } };
  await agent.client.command("input.respond", given);
  const states = (await later.next(endsRun)).filter(({ method }) => method === "values");
  expect(states.map(({ params }) => params.data.log)).toEqual([
    ["x", "between"],
    ["x", "between", "asked"],
    ["x", "between", "asked", "done"],
  ]);
});

test("several questions are answered at once, or one after another", async () => {
  await using agent = await startStreaming();
  const answersOf = (events: ProtocolEvent[]) =>
    requested(events).map(({ interrupt_id, payload }) => ({ interrupt_id, response: `${payload} yes` }));
  const both = answersOf(await agent.client.run("survey", {}));
  expect(both).toHaveLength(2);
  const events = await openEvents(agent.url, thread(1), { channels: ["lifecycle"], since: 1 });
  await events.next(endsRun);
  expect((await agent.client.command("input.respond", { responses: both })).type).toBe("success");
  await events.next(endsRun);
  expect((await agent.client.command("state.get")).result.values).toEqual({ one: "one? yes", two: "two? yes" });

  const other = threadOf(agent.url, agent.call, thread(2));
  const [first, second] = answersOf(await other.run("survey", {}));
  const ended = await openEvents(agent.url, thread(2), { channels: ["lifecycle"], since: 1 });
  await ended.next(endsRun);
  for (const answer of [first, second]) {
    expect((await other.command("input.respond", answer)).type).toBe("success");
    await ended.next(endsRun);
  }
  expect((await other.command("state.get")).result.values).toEqual({ one: "one? yes", two: "two? yes" });
});

test("of two answers to the same question, one is too late", async () => {
  await using agent = await startStreaming();
  const [question] = requested(await agent.client.run("approval", { log: [] }));
  const answer = { interrupt_id: question?.interrupt_id, response: "yes" };
  const answers = await Promise.all([1, 2].map(() => agent.client.command("input.respond", answer)));
  expect(answers.map(({ type }) => type).sort()).toEqual(["error", "success"]);
});

test("an input for a thread that waits for an answer is the answer; from an earlier checkpoint it isn't", async () => {
  await using agent = await startStreaming();
  await agent.client.run("approval", { log: ["x"] });
  const { checkpoint } = (await agent.client.command("state.get")).result;
  await agent.client.run("approval", "no");
  expect((await agent.client.command("state.get")).result.values.log).toEqual(["x", "asked", "refused"]);
  const config = { configurable: { checkpoint_id: checkpoint.id } };
  await agent.client.run("approval", { log: ["again"] }, { config });
  expect((await agent.client.command("state.get")).result.values.log).toEqual(["x", "again"]);
  const unknown = { assistant_id: "approval", input: {}, config: { configurable: { checkpoint_id: "nowhere" } } };
  expect((await agent.client.command("run.start", unknown)).error).toBe("no_such_checkpoint");
});

test("state.get reads the state, or some keys of it, and that of a subgraph", async () => {
  await using agent = await startStreaming();
  const events = await agent.client.run("subgraph", { topic: "tea" });
  const child = events.find(({ params }) => params.namespace.length === 1)?.params.namespace;
  const state = await agent.client.command("state.get", { keys: ["topic", "nothing"] });
  expect(state.result).toEqual({ values: { topic: "tea" }, checkpoint: { id: expect.any(String), ns: "" } });
  const inner = await agent.client.command("state.get", { namespace: child });
  expect(inner.result.values).toEqual({ topic: "tea", findings: ["found: tea", "judged: found: tea"] });
  expect((await agent.client.command("state.get", { namespace: ["nowhere"] })).error).toBe("no_such_namespace");
});

test("state.listCheckpoints names the checkpoints of the thread, which the events named before", async () => {
  await using agent = await startStreaming();
  const events = await agent.client.run("subgraph", { topic: "tea" });
  const announced = events
    .filter(({ method, params }) => method === "checkpoints" && params.namespace.length === 0)
    .map(({ params }) => params.data);
  const { checkpoints } = (await agent.client.command("state.listCheckpoints")).result;
  expect(
    checkpoints
      .map(({ id }: { id: string }) => id)
      .reverse()
      .slice(1),
  ).toEqual(announced.map(({ id }) => id));
  expect(checkpoints[1]).toEqual({
    id: announced.at(-2).id,
    timestamp: expect.any(String),
    step: 3,
    node_name: "summarize",
    metadata: expect.objectContaining({ source: "loop" }),
  });
  const before = { limit: 1, before: checkpoints[1].id };
  const [third] = (await agent.client.command("state.listCheckpoints", before)).result.checkpoints;
  expect(third.id).toBe(checkpoints[2].id);
});

test("state.fork continues from an earlier checkpoint, with another input or none", async () => {
  await using agent = await startStreaming();
  await agent.client.run("subgraph", { topic: "tea" });
  const { checkpoints } = (await agent.client.command("state.listCheckpoints")).result;
  const events = await openEvents(agent.url, thread(1), {
    channels: ["updates", "lifecycle"],
    namespaces: [[]],
    depth: 0,
  });
  await events.next(endsRun);
  const forked = await agent.client.command("state.fork", { checkpoint_id: checkpoints[1].id });
  expect(forked.result).toEqual({ run_id: uuid, thread_id: thread(1) });
  expect(shown(await events.next(endsRun))).toEqual(["lifecycle running", "updates summarize", "lifecycle completed"]);
  const input = { topic: "coffee" };
  await agent.client.command("state.fork", { checkpoint_id: checkpoints[3].id, input });
  await events.next(endsRun);
  expect((await agent.client.command("state.get")).result.values.topic).toBe("coffee");
  expect((await agent.client.command("state.fork", { checkpoint_id: "nowhere" })).error).toBe("no_such_checkpoint");
});

test("agent.getTree shows the graphs of the last run", async () => {
  await using agent = await startStreaming();
  await agent.client.run("events", {});
  const events = await agent.client.run("subgraph", { topic: "tea" });
  const child = events.find(({ params }) => params.namespace.length === 1)?.params.namespace;
  const { result } = await agent.client.command("agent.getTree");
  expect(result.tree).toEqual({
    namespace: [],
    status: "completed",
    graph_name: "subgraph",
    children: [{ namespace: child, status: "completed", graph_name: "child" }],
  });
  const { body: runs } = await agent.call("GET", `/threads/${thread(1)}/runs`);
  const [last, first] = runs.map(({ run_id }: { run_id: string }) => run_id);
  expect((await agent.client.command("agent.getTree", { run_id: last })).result).toEqual(result);
  expect((await agent.client.command("agent.getTree", { run_id: first })).error).toBe("no_such_run");
});

test("a subgraph that asks is interrupted, and its question has its namespace", async () => {
  const asking: ScriptedGraph = {
    id: "asking",
    channels: { answer: lastValue(null) },
    nodes: { inner: (_, node) => ({ answer: node.interrupt("inner?") }) },
    edges: { __start__: "inner" },
  };
  const outer: ScriptedGraph = {
    id: "outer",
    channels: { answer: lastValue(null) },
    nodes: { child: { graph: asking } },
    edges: { __start__: "child" },
  };
  await using agent = await startAgent({ graphs: [outer] });
  const client = threadOf(agent.url, agent.call, thread(1));
  const events = await client.run("outer", {});
  expect(shown(events).slice(-5)).toEqual([
    "input.requested child",
    "tasks child inner",
    "tasks child",
    "lifecycle child interrupted",
    "lifecycle interrupted",
  ]);
  const { namespace, data } = events.find(({ method }) => method === "input.requested")?.params ?? {};
  const rest = await openEvents(agent.url, thread(1), { since: events.length });
  await client.command("input.respond", { namespace, interrupt_id: data.interrupt_id, response: 42 });
  expect(shown(await rest.next(endsRun)).slice(-5)).toEqual([
    "tasks child",
    "lifecycle child completed",
    "checkpoints",
    "values",
    "lifecycle completed",
  ]);
  expect((await client.command("state.get")).result.values).toEqual({ answer: 42 });
});
