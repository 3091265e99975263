import { afterAll, expect, test } from "vitest";
import { type StreamedEvent, type TestAgent, thread } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

const worker = await startProject("basics");
afterAll(() => worker.close());

const hello = { messages: [{ role: "user", content: "hello", id: "h1" }] };

function stream(agent: TestAgent, mode: string | string[], extra: object = {}): Promise<StreamedEvent[]> {
  const body = { assistant_id: "chat", input: hello, stream_mode: mode, if_not_exists: "create", ...extra };
  return agent.events("POST", `/threads/${thread(1)}/runs/stream`, body);
}

const names = (events: StreamedEvent[]) => events.map(({ event }) => event.replace(/:[0-9a-f-]{36}/g, ":<id>"));
const dataOf = (events: StreamedEvent[]) => events.slice(1).map(({ data }) => data);

test("values are the whole state after each step, with flat messages", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "values");
  expect(names(events)).toEqual(["metadata", "values", "values", "values"]);
  expect(events[0]?.data).toEqual({ run_id: expect.any(String), attempt: 1 });
  expect(events[1]?.data).toEqual({
    messages: [{ content: "hello", id: "h1", additional_kwargs: {}, response_metadata: {}, type: "human" }],
    foo: "",
  });
  const last = events.at(-1)?.data;
  expect(last.messages.map(({ content, type }: Record<string, unknown>) => [type, content])).toEqual([
    ["human", "hello"],
    ["ai", "Hi there"],
    ["ai", "sub!"],
  ]);
});

test("updates come by node, and an interrupt as an update and as values", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, ["values", "updates"], { assistant_id: "approval", input: { log: ["start"] } });
  expect(names(events)).toEqual(["metadata", "values", "updates", "values"]);
  const interrupts = [{ id: expect.any(String), value: { question: "approve?", log: ["start"] } }];
  expect(dataOf(events).slice(1)).toEqual([{ __interrupt__: interrupts }, { __interrupt__: interrupts }]);
  const resumed = { assistant_id: "approval", input: undefined, command: { resume: "yes" } };
  expect(dataOf(await stream(agent, "updates", resumed))).toEqual([
    { ask: { answer: "yes", log: ["asked"] } },
    { done: { log: ["done"] } },
  ]);
});

test("messages accumulate reply by reply, including those of subgraphs", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "messages");
  const reply = (count: number) => ["messages/metadata", ...Array(count).fill("messages/partial"), "messages/complete"];
  expect(names(events)).toEqual(["metadata", "messages/complete", ...reply(8), ...reply(4)]);
  const partials = events.filter(({ event }) => event === "messages/partial").map(({ data }) => data[0].content);
  expect(partials.slice(0, 4)).toEqual(["H", "Hi", "Hi ", "Hi t"]);
  const [id, { metadata }] = Object.entries(events[2]?.data)[0] as [string, { metadata: Record<string, unknown> }];
  expect(events[3]?.data[0]).toMatchObject({ id, type: "ai" });
  expect(metadata).toMatchObject({ langgraph_node: "model", graph_node: "model", graph_id: "chat", run_attempt: 1 });
});

test("the mode messages-tuple has chunks and whole messages of nodes, with metadata", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "messages-tuple");
  expect(names(events)).toEqual(["metadata", ...Array(9).fill("messages")]);
  const [first, metadata] = dataOf(events)[0];
  expect(first).toMatchObject({ content: "H", type: "ai" });
  expect(metadata).toMatchObject({
    tags: [],
    langgraph_node: "model",
    graph_node: "model",
    langgraph_step: 1,
    langgraph_triggers: ["branch:to:model"],
    thread_id: thread(1),
    langgraph_version: expect.stringMatching(/^1\./),
  });
  const [whole, node] = dataOf(events).at(-1);
  expect(whole).toMatchObject({ content: "sub!", type: "ai" });
  expect(node).toMatchObject({ name: "child", tags: ["graph:step:2"] });
});

test("the modes tasks, checkpoints and debug have events for each step", async () => {
  await using agent = await startAgentOf(worker);
  const tasks = dataOf(await stream(agent, "tasks"));
  expect(tasks.map(({ name, result }) => [name, result !== undefined])).toEqual([
    ["model", false],
    ["model", true],
    ["child", false],
    ["child", true],
  ]);
  expect(Object.keys(tasks[0])).toEqual(["id", "name", "input", "triggers", "interrupts", "metadata"]);
  const other = { assistant_id: "trivial", input: { value: "a" } };
  const checkpoints = dataOf(await stream(agent, "checkpoints", other));
  expect(checkpoints.at(-1)).toMatchObject({ values: { value: "a!" }, metadata: { source: "loop" }, next: [] });
  expect(checkpoints[0]).toMatchObject({ tasks: [{ name: "__start__" }] });
  const task = { name: "one", error: null, interrupts: [], checkpoint: null, state: null };
  expect(checkpoints[1]).toMatchObject({ tasks: [task] });
  expect(checkpoints[1].parent_config.configurable.checkpoint_id).toBe(
    checkpoints[0].config.configurable.checkpoint_id,
  );
  const debug = dataOf(await stream(agent, "debug", other));
  expect(debug[1].payload.tasks).toEqual(
    checkpoints[1].tasks.map((one: object) => ({ ...one, id: expect.any(String) })),
  );
  expect(debug.map(({ type }) => type)).toEqual(["checkpoint", "checkpoint", "task", "task_result", "checkpoint"]);
  const { payload } = debug.at(-1);
  expect(payload.checkpoint).toMatchObject({ thread_id: thread(1), checkpoint_ns: "", checkpoint_map: null });
  expect(payload.parent_config.configurable).toMatchObject({ thread_id: thread(1) });
  expect(Object.keys(payload.config.configurable).filter((name) => name.startsWith("__"))).toEqual([]);
});

test("the state of a step comes before the messages that it completes", async () => {
  await using agent = await startAgentOf(worker);
  const events = names(await stream(agent, ["messages", "values"]));
  expect(events.at(-1)).toBe("messages/complete");
  expect(events.lastIndexOf("values")).toBe(events.length - 2);
});

test("events of subgraphs have their namespaces when they are requested", async () => {
  await using agent = await startAgentOf(worker);
  const plain = names(await stream(agent, ["updates", "custom"]));
  expect(plain).toEqual(["metadata", "custom", "updates", "custom", "updates"]);
  const deep = names(await stream(agent, ["updates", "custom"], { stream_subgraphs: true }));
  expect(deep).toEqual([
    "metadata",
    "custom",
    "updates",
    "custom|child:<id>",
    "updates|child:<id>",
    "updates|child:<id>",
    "updates",
  ]);
});

test("the mode events reports all calls of the graph, beside other modes", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, ["events", "updates"]);
  const kinds = events.filter(({ event }) => event === "events").map(({ data }) => data.event);
  expect(kinds[0]).toBe("on_chain_start");
  expect(kinds.filter((kind) => kind === "on_chat_model_stream")).toHaveLength(12);
  expect(events.filter(({ event }) => event === "updates").map(({ data }) => Object.keys(data)[0])).toEqual([
    "model",
    "child",
  ]);
});

test("the mode tools reports starts and ends of tools", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "tools", { assistant_id: "tools" });
  expect(dataOf(events)).toMatchObject([
    { event: "on_tool_start", toolCallId: "call_1", name: "weather", input: '{"city":"Paris"}' },
    {
      event: "on_tool_end",
      toolCallId: "call_1",
      name: "weather",
      output: { content: "sunny in Paris", type: "tool" },
    },
  ]);
});

test("twenty thousand events of one node all arrive, in order", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "custom", { assistant_id: "burst", input: { n: 20_000 } });
  expect(dataOf(events).map(({ i }) => i)).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
});

test("two hundred concurrent streams all end with their results", async () => {
  await using agent = await startAgentOf(worker);
  const body = { assistant_id: "burst", input: { n: 20 }, stream_mode: ["custom", "values"] };
  const all = await Promise.all(Array.from({ length: 200 }, () => agent.events("POST", "/runs/stream", body)));
  for (const events of all) {
    expect(events).toHaveLength(23);
    expect(events.at(-1)).toMatchObject({ event: "values", data: { value: "done" } });
  }
});

test("a failing node ends the stream with an error", async () => {
  await using agent = await startAgentOf(worker);
  const events = await stream(agent, "values", { assistant_id: "fail", input: { value: "a" } });
  expect(names(events)).toEqual(["metadata", "values", "error"]);
  expect(events.at(-1)?.data).toEqual({ error: "TypeError", message: "kaboom" });
});

test("graphs are drawn with and without subgraphs, and have schemas", async () => {
  await using agent = await startAgentOf(worker);
  const nodes = async (query: string) =>
    (await agent.call("GET", `/assistants/chat/graph${query}`)).body.nodes.map(({ id }: { id: string }) => id);
  expect(await nodes("")).toEqual(["__start__", "model", "child", "__end__"]);
  expect(await nodes("?xray=true")).toEqual(["__start__", "model", "child:sub_one", "child:sub_two", "__end__"]);
  const subgraphs = (await agent.call("GET", "/assistants/chat/subgraphs")).body;
  expect(Object.keys(subgraphs)).toEqual(["child"]);
  const named = (await agent.call("GET", "/assistants/chat/schemas")).body;
  expect(named).toMatchObject({
    graph_id: "chat",
    state_schema: { type: "object", properties: { messages: { type: "array" }, foo: {} } },
  });
  const declared = (await agent.call("GET", "/assistants/declared/schemas")).body;
  expect(declared.state_schema.properties).toMatchObject({ topic: { type: "string" }, count: { type: "number" } });
  const context = (await agent.call("GET", "/assistants/surroundings/schemas")).body.context_schema;
  expect(context.properties).toMatchObject({ tone: { type: "string" } });
  expect((await agent.call("GET", "/assistants/trivial")).body.description).toBe("Adds a mark.");
});
