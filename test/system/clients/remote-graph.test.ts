import { randomUUID } from "node:crypto";
import {
  Annotation,
  Command,
  END,
  GraphInterrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { afterAll, expect, test } from "vitest";
import { startBuiltDev } from "../../kit/clients/built-server.ts";

const server = await startBuiltDev("development");
afterAll(() => server[Symbol.asyncDispose]());

const remote = (graphId: string) => new RemoteGraph({ graphId, url: server.url, apiKey: "key" });
const onNewThread = () => ({ configurable: { thread_id: randomUUID() } });
const hello = { messages: [{ role: "user", content: "hello" }] };
const weather = { messages: [{ role: "user", content: "How is the weather?" }] };
const talk = ["hello", "look it up", "looked up: look it up", "end of talk"];

// biome-ignore lint/suspicious/noExplicitAny: values of any graph
type Values = any;

const textsOf = ({ messages }: Values) => messages.map(({ content }: { content: string }) => content);

async function all<Item>(stream: AsyncIterable<Item> | Promise<AsyncIterable<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of await stream) items.push(item);
  return items;
}

test("a graph with a model, a tool and the logger runs remotely, and the server's output has its log lines", async () => {
  const agent = remote("agent");
  expect(textsOf(await agent.invoke(hello))).toEqual(talk);
  const config = onNewThread();
  expect(textsOf(await agent.invoke(hello, config))).toEqual(talk);
  expect(textsOf((await agent.getState(config)).values)).toEqual(talk);
  const line = server.output.split("\n").find((text) => text.includes("The model is asked"));
  expect(JSON.parse(line as string)).toMatchObject({
    event: "output",
    level: "INFO",
    text: expect.stringContaining("node=model"),
  });
});

test("graphs from a function and with a typed context use the given values, or the project's defaults", async () => {
  expect(await remote("named").invoke({})).toEqual({ visited: "given" });
  expect(await remote("named").invoke({}, { configurable: { name: "chosen" } })).toEqual({ visited: "chosen" });
  expect(Object.keys((await remote("named").getGraphAsync()).nodes)).toEqual(["__start__", "given", "__end__"]);
  expect(await remote("tuned").invoke({})).toEqual({ size: "small" });
  expect(await remote("tuned").invoke({}, { context: { size: "large" } })).toEqual({ size: "large" });
});

test("a graph is streamed in every mode", async () => {
  const agent = remote("agent");
  const modes = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"] as const;
  const chunks = new Map<string, Values[]>();
  for (const streamMode of modes)
    chunks.set(streamMode, await all(agent.stream(hello, { ...onNewThread(), streamMode })));
  expect(textsOf(chunks.get("values")?.at(-1))).toEqual(talk);
  expect(chunks.get("updates")?.map((update) => Object.keys(update)[0])).toEqual(["model", "look", "model"]);
  expect(chunks.get("custom")).toEqual([{ asked: "first" }, { asked: "again" }]);
  const spoken = chunks.get("messages")?.filter(([, about]) => about.langgraph_node === "model");
  expect(spoken?.map(([{ content }]) => content).join("")).toBe("look it upend of talk");
  expect(new Set(chunks.get("debug")?.map(({ type }) => type))).toEqual(new Set(["checkpoint", "task", "task_result"]));
  expect(new Set(chunks.get("tasks")?.map(({ name }) => name))).toEqual(new Set(["model", "look"]));
  expect(chunks.get("checkpoints")?.map(({ next }) => next)).toEqual([
    ["__start__"],
    ["model"],
    ["look"],
    ["model"],
    [],
  ]);
  const both = await all<Values>(agent.stream(hello, { streamMode: ["updates", "custom"] }));
  expect(new Set(both.map(([mode]) => mode))).toEqual(new Set(["updates", "custom"]));
});

test("a graph is interrupted, resumed, updated, and its history is read", async () => {
  const review = remote("review");
  const config = onNewThread();
  await expect(review.invoke({ request: "send" }, config)).rejects.toThrow(GraphInterrupt);
  const interrupted = await review.getState(config);
  expect(interrupted).toMatchObject({
    next: ["ask"],
    tasks: [{ interrupts: [{ value: { question: "Approve?", request: "send" } }] }],
  });
  expect((await all(review.getStateHistory(config))).map(({ next }) => next)).toEqual([["ask"], ["__start__"]]);
  expect(await review.invoke(new Command({ resume: "yes" }), config)).toMatchObject({ log: 'acted on "yes"' });
  const changed = await review.updateState(interrupted.config, { decision: "by hand" }, "ask");
  expect((await review.getState(changed)).next).toEqual(["act"]);
  expect(await review.invoke(null, config)).toMatchObject({ log: 'acted on "by hand"' });
});

test("a graph at an interrupt in a subgraph is read, drawn and resumed", async () => {
  const forecast = remote("forecast");
  const config = onNewThread();
  await expect(forecast.invoke(weather, config)).rejects.toThrow(GraphInterrupt);
  const stopped = await forecast.getState(config, { subgraphs: true });
  expect(stopped).toMatchObject({
    next: ["service"],
    tasks: [{ state: { next: ["station"], tasks: [{ state: { next: [] } }] } }],
  });
  const rest = await all<Values>(forecast.stream(null, { ...config, streamMode: "updates", subgraphs: true }));
  const inner = [expect.stringMatching(/^service:/), expect.stringMatching(/^station:/)];
  expect(rest).toContainEqual([inner, { measure: { messages: [expect.anything()] } }]);
  expect(textsOf((await forecast.getState(config)).values).at(-1)).toBe("Sunny in San Francisco.");
  const drawn = (await forecast.getGraphAsync({ xray: true })).drawMermaid();
  expect(drawn).toContain("station");
  expect((await all(forecast.getSubgraphsAsync(undefined, true))).map(([name]) => name)).toEqual([
    "service",
    "service|station",
  ]);
});

test("a graph stops before a node that it sends to, and continues", async () => {
  const agent = remote("agent");
  const config = onNewThread();
  await expect(agent.invoke(hello, { ...config, interruptBefore: ["look"] })).rejects.toThrow(GraphInterrupt);
  expect((await agent.getState(config)).next).toEqual(["look"]);
  expect(textsOf(await agent.invoke(null, config))).toEqual(talk);
});

test("a graph that fails raises the error, and one that is aborted stops", async () => {
  await expect(remote("failing").invoke(hello)).rejects.toThrow("The tray is empty.");
  const config = onNewThread();
  const running = remote("slow").invoke({ ms: 60_000 }, { ...config, signal: AbortSignal.timeout(300) });
  await expect(running).rejects.toThrow();
});

test("a remote graph is a node of a local one, with its streams and interrupts", async () => {
  const whole = new StateGraph(MessagesAnnotation)
    .addNode("agent", remote("agent"))
    .addEdge(START, "agent")
    .addEdge("agent", END)
    .compile();
  expect(textsOf(await whole.invoke(hello))).toEqual(talk);
  const streamed = await all<Values>(whole.stream(hello, { streamMode: ["updates", "custom"], subgraphs: true }));
  expect(streamed).toContainEqual([expect.anything(), "custom", { asked: "first" }]);

  const Request = Annotation.Root({
    request: Annotation<string>,
    decision: Annotation<unknown>,
    log: Annotation<string>,
  });
  const asking = new StateGraph(Request)
    .addNode("review", remote("review"))
    .addEdge(START, "review")
    .addEdge("review", END)
    .compile({ checkpointer: new MemorySaver() });
  const config = onNewThread();
  expect(await asking.invoke({ request: "send" }, config)).toMatchObject({
    __interrupt__: [{ value: { question: "Approve?", request: "send" } }],
  });
  // A resume value for the whole graph starts the subgraph again; one for the subgraph continues it on the same thread.
  const resumed = await remote("review").invoke(new Command({ resume: "yes" }), config);
  expect(resumed).toMatchObject({ log: 'acted on "yes"' });
});
