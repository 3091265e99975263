import { GraphInterrupt } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { expect, test } from "vitest";
import { startAgent, type TestAgent, thread } from "../../kit/agent-server/agent.ts";

const remote = (agent: TestAgent, graphId: string) => new RemoteGraph({ graphId, url: agent.url, apiKey: "key" });
async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const onThread = { configurable: { thread_id: thread(1) } };

test("a remote graph is invoked with and without a thread", async () => {
  await using agent = await startAgent();
  const graph = remote(agent, "subgraph");
  expect(await graph.invoke({ topic: "owls" })).toMatchObject({ topic: "owls", summary: "2 findings" });
  expect(await graph.invoke({ topic: "cats" }, onThread)).toMatchObject({ summary: "2 findings" });
  expect((await graph.getState(onThread)).values).toMatchObject({ topic: "cats", summary: "2 findings" });
  await expect(remote(agent, "failure").invoke({ message: "kaboom" })).rejects.toThrow("kaboom");
});

test("a remote graph is streamed in one mode, in several, and with its subgraphs", async () => {
  await using agent = await startAgent();
  const graph = remote(agent, "subgraph");
  const chunksOf = async (options: object) => all(await graph.stream({ topic: "owls" }, options));
  const updates = await chunksOf({ streamMode: "updates" });
  expect(updates.map((update) => Object.keys(update as object)[0])).toEqual([
    "prepare",
    "research",
    "child",
    "summarize",
  ]);
  const both = await chunksOf({ streamMode: ["custom", "updates"] });
  expect(both.map(([mode]) => mode)).toEqual(["updates", "custom", "updates", "updates", "updates"]);
  const deep = await chunksOf({ streamMode: "custom", subgraphs: true });
  expect(deep).toEqual([
    [[], { from: "research" }],
    [[expect.stringMatching(/^child:/)], { from: "search", topic: "owls" }],
  ]);
});

test("the state and history of a remote graph's thread are read, and the state is changed", async () => {
  await using agent = await startAgent();
  const graph = remote(agent, "approval");
  await expect(graph.invoke({ log: ["start"] }, onThread)).rejects.toThrow(GraphInterrupt);
  const interrupted = await graph.getState(onThread);
  expect(interrupted).toMatchObject({ values: { log: ["start"] }, next: ["ask"], config: onThread });
  expect(interrupted.tasks[0]?.interrupts[0]).toMatchObject({ value: { question: "approve?" } });

  const { configurable } = await graph.updateState(onThread, { log: ["by hand"] }, "ask");
  expect(configurable).toMatchObject({ thread_id: thread(1), checkpoint_id: expect.any(String) });
  expect(await graph.getState(onThread)).toMatchObject({ values: { log: ["start", "by hand"] }, next: ["act"] });

  const history = await all(graph.getStateHistory(onThread));
  expect(history.map(({ next }) => next)).toEqual([["act"], ["ask"], ["__start__"]]);
  const earlier = await all(graph.getStateHistory(onThread, { before: interrupted.config }));
  expect(earlier.map(({ next }) => next)).toEqual([["__start__"]]);
  expect(await graph.getState(interrupted.config)).toMatchObject({ values: { log: ["start"] }, next: ["ask"] });
});

test("a remote graph is drawn, and its subgraphs are listed", async () => {
  await using agent = await startAgent();
  const graph = remote(agent, "subgraph");
  const drawn = await graph.getGraphAsync({ xray: true });
  expect(Object.keys(drawn.nodes)).toContain("child:search");
  expect(drawn.drawMermaid()).toContain("summarize");
  const subgraphs = await all(graph.getSubgraphsAsync());
  expect(subgraphs.map(([name]) => name)).toEqual(["child"]);
});
