import { afterAll, expect, test } from "vitest";
import { type TestAgent, thread } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";
import { endsRun, openEvents, type ProtocolEvent, shown, threadOf } from "../../../kit/agent-server/event-streaming.ts";

const worker = await startProject("basics");
afterAll(() => worker.close());

const hello = { messages: [{ role: "user", content: "hello", id: "h1" }] };
const clientOf = (agent: TestAgent, n = 1) => threadOf(agent.url, agent.call, thread(n));
const message = (place: string, deltas: number) => [
  `lifecycle ${place} started`,
  `messages ${place} message-start`,
  `messages ${place} content-block-start`,
  ...Array(deltas).fill(`messages ${place} content-block-delta`),
  `messages ${place} content-block-finish`,
  `messages ${place} message-finish`,
];

test("a graph with a model and a subgraph sends what the development server sends, in its order", async () => {
  await using agent = await startAgentOf(worker);
  const events = await clientOf(agent).run("chat", hello);
  expect(shown(events)).toEqual([
    "lifecycle running",
    "checkpoints",
    "values",
    "tasks model",
    "custom",
    ...message("model", 8),
    "updates model",
    "tasks model",
    "lifecycle model completed",
    "checkpoints",
    "values",
    "tasks child",
    "lifecycle child started",
    "checkpoints child",
    "values child",
    "tasks child sub_one",
    "custom child",
    "updates child sub_one",
    "tasks child sub_one",
    "checkpoints child",
    "values child",
    "tasks child sub_two",
    ...message("child/sub_two", 4),
    "updates child sub_two",
    "tasks child sub_two",
    "lifecycle child/sub_two completed",
    "checkpoints child",
    "values child",
    "updates child",
    "tasks child",
    "lifecycle child completed",
    "checkpoints",
    "values",
    "lifecycle completed",
  ]);
  expect(events).toHaveLength(54);
  const dataOf = (seq: number) => events[seq - 1]?.params.data;
  expect(dataOf(2)).toEqual({ id: expect.any(String), parent_id: expect.any(String), step: 0, source: "loop" });
  expect(dataOf(3)).toEqual({ messages: [{ type: "human", content: "hello", id: "h1" }], foo: "" });
  expect(dataOf(9)).toEqual({
    event: "content-block-delta",
    index: 0,
    delta: { type: "text-delta", text: "H" },
    run_id: expect.any(String),
  });
  const reply = {
    type: "ai",
    content: [{ type: "text", text: "Hi there" }],
    id: expect.stringMatching(/^run-/),
    response_metadata: { output_version: "v1", finish_reason: "stop" },
  };
  expect(events[18]?.params).toMatchObject({ node: "model", data: { messages: [reply], foo: "model" } });
  expect(dataOf(23)).toEqual({ messages: [{ type: "human", content: "hello", id: "h1" }, reply], foo: "model" });
  expect(agent.defects).toEqual([]);
});

test("tools report their calls from inside their node", async () => {
  await using agent = await startAgentOf(worker);
  const events = await clientOf(agent).run("tools", hello);
  const calls = events.filter(({ method }) => method === "tools").map(({ params }) => params);
  expect(calls.map(({ data }) => [data.event, data.tool_call_id])).toEqual([
    ["tool-started", "call_1"],
    ["tool-finished", "call_1"],
  ]);
  expect(calls[1]?.data.output).toMatchObject({ type: "tool", content: "sunny in Paris" });
  expect(calls[0]?.namespace).toEqual([expect.stringMatching(/^tools:/)]);
});

test("an interrupt of a subgraph is announced once, with its namespace, and answered", async () => {
  await using agent = await startAgentOf(worker);
  const client = clientOf(agent);
  const events = await client.run("nested", { log: ["s"] });
  const requests = events.filter(({ method }) => method === "input.requested").map(({ params }) => params);
  expect(requests).toHaveLength(1);
  const [{ namespace, data } = { namespace: [], data: {} }] = requests;
  expect(namespace).toEqual([expect.stringMatching(/^outer:/)]);
  expect(data).toEqual({ interrupt_id: expect.stringMatching(/^[0-9a-f]{32}$/), payload: "inner?", value: "inner?" });
  expect(shown(events).slice(-2)).toEqual(["lifecycle outer interrupted", "lifecycle interrupted"]);
  const rest = await openEvents(agent.url, thread(1), { since: events.length });
  const answer = { namespace, interrupt_id: data.interrupt_id, response: "fine" };
  expect((await client.command("input.respond", answer)).type).toBe("success");
  const more = await rest.next(endsRun);
  expect(shown(more).slice(0, 2)).toEqual(["lifecycle running", "input.answered"]);
  expect(more.at(-2)?.params.data).toEqual({ log: ["s", "s", "inner: fine"], answer: null });
});

test("what a graph throws is the end of its run, and what it can't send an error in its place", async () => {
  await using agent = await startAgentOf(worker);
  const failed = await clientOf(agent, 1).run("fail", {});
  expect(failed.at(-1)?.params.data).toEqual({ event: "failed", graph_name: "fail", error: "kaboom" });
  const events = await clientOf(agent, 2).run("odd", { what: "bigint" });
  const errors = events.filter(({ params }) => params.data?.error === "SerializationError");
  expect(shown(errors)).toEqual(["updates one", "tasks", "values"]);
});

test("a cancelled run ends as interrupted", async () => {
  await using agent = await startAgentOf(worker);
  const client = clientOf(agent);
  const events = await openEvents(agent.url, thread(1), { channels: ["lifecycle", "tasks"] });
  const { result } = await client.command("run.start", { assistant_id: "endless", input: { log: [] } });
  await events.next(({ method }) => method === "tasks");
  await agent.call("POST", `/threads/${thread(1)}/runs/${result.run_id}/cancel?wait=1`);
  expect((await events.next(endsRun)).at(-1)?.params.data.event).toBe("interrupted");
});

test("many events arrive in order, without a gap", async () => {
  await using agent = await startAgentOf(worker);
  const events: ProtocolEvent[] = await clientOf(agent).run("burst", { n: 5000 });
  const numbers = events.filter(({ method }) => method === "custom").map(({ params }) => params.data.payload.i);
  expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => index));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test("a graph's own stream transformers send named events, and their final values before the end", async () => {
  await using own = await startProject("transformers");
  await using agent = await startAgentOf(own);
  const events = await clientOf(agent).run("counted", {});
  const custom = events.filter(({ method }) => method === "custom").map(({ params }) => params.data);
  expect(custom).toEqual([
    { name: "seen", payload: "one" },
    { name: "seen", payload: "two" },
    { name: "total", payload: 2 },
  ]);
  expect(shown(events).at(-1)).toBe("lifecycle completed");
});
