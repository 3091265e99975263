import { expect, test } from "vitest";
import { until } from "../../../kit/agent-server/agent.ts";
import { type ConfiguredAgent, startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const ttl = (keys: object) => startConfigured({ keys });

async function statusOf(agent: ConfiguredAgent, threadId: string): Promise<number> {
  return (await agent.call("GET", `/threads/${threadId}`)).status;
}

/** Waits until a thread is gone; its expiry happens in the background. */
const gone = (agent: ConfiguredAgent, threadId: string) => until(async () => (await statusOf(agent, threadId)) === 404);

test("threads without a time to live have that of the file, which a change restarts", async () => {
  await using agent = await ttl({ checkpointer: { ttl: { default_ttl: 10 } } });
  const { body: made } = await agent.call("POST", "/threads", {});
  const { body: own } = await agent.call("POST", "/threads", { ttl: 30 });
  const { body: copy } = await agent.call("POST", `/threads/${own.thread_id}/copy`);
  const shown = await agent.call("GET", `/threads/${made.thread_id}?include=ttl`);
  expect(shown.body.ttl).toMatchObject({ strategy: "delete", ttl_minutes: 10 });
  agent.clock.advance("9m");
  await agent.call("PATCH", `/threads/${made.thread_id}`, { metadata: { a: 1 } });
  agent.clock.advance("5m");
  await gone(agent, copy.thread_id);
  expect(await statusOf(agent, made.thread_id)).toBe(200);
  agent.clock.advance("6m");
  await gone(agent, made.thread_id);
  expect(await statusOf(agent, own.thread_id)).toBe(200);
});

test("with keep_latest an expired thread keeps its latest state only", async () => {
  await using agent = await ttl({ checkpointer: { ttl: { default_ttl: 10, strategy: "keep_latest" } } });
  const { body: made } = await agent.call("POST", "/threads", {});
  const path = `/threads/${made.thread_id}`;
  await agent.call("POST", `${path}/runs/wait`, { assistant_id: "agent", input: { text: "a" } });
  expect((await agent.call("GET", `${path}/history`)).body.length).toBeGreaterThan(1);
  agent.clock.advance("11m");
  await until(async () => (await agent.call("GET", `${path}/history`)).body.length === 1);
  expect((await agent.call("GET", `${path}/state`)).body.values).toMatchObject({ text: "a" });
});

test("threads expire at the sweeps, and at most so many at one", async () => {
  await using agent = await ttl({
    checkpointer: { ttl: { default_ttl: 1, sweep_interval_minutes: 60, sweep_limit: 2 } },
  });
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) ids.push((await agent.call("POST", "/threads", {})).body.thread_id);
  const left = async () => (await agent.call("POST", "/threads/count", {})).body;
  agent.clock.advance("59m");
  expect(await left()).toBe(3);
  agent.clock.advance("1m");
  await until(async () => (await left()) === 1);
  agent.clock.advance("59m");
  expect(await left()).toBe(1);
  agent.clock.advance("1m");
  await until(async () => (await left()) === 0);
});

test("items without a time to live have that of the file, which reading restarts unless the file says no", async () => {
  for (const refreshes of [true, false]) {
    await using agent = await ttl({ store: { ttl: { default_ttl: 10, refresh_on_read: refreshes } } });
    const put = (key: string, rest = {}) =>
      agent.call("PUT", "/store/items", { namespace: ["a"], key, value: {}, ...rest });
    const get = async (key: string, rest = "") =>
      (await agent.call("GET", `/store/items?namespace=a&key=${key}${rest}`)).body !== null;
    await put("default");
    await put("refreshed");
    await put("own", { ttl: 60 });
    agent.clock.advance("9m");
    expect(await get("default")).toBe(true);
    expect(await get("refreshed", "&refresh_ttl=true")).toBe(true);
    agent.clock.advance("5m");
    expect([refreshes, await get("default")]).toEqual([refreshes, refreshes]);
    expect(await get("refreshed")).toBe(true);
    agent.clock.advance("40m");
    expect(await get("own")).toBe(true);
    const { body } = await agent.call("POST", "/store/items/search", { namespace_prefix: ["a"] });
    expect(body.items.map(({ key }: { key: string }) => key)).toEqual(["own"]);
  }
});

test("items that a graph stores have the time to live of the file", async () => {
  const files = {
    "storing.ts": `
      import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
      export const graph = new StateGraph(Annotation.Root({ text: Annotation }))
        .addNode("put", async (_, { store }) => { await store.put(["a"], "of the graph", { a: 1 }); return {}; })
        .addEdge(START, "put").addEdge("put", END).compile();`,
  };
  const keys = { graphs: { agent: "./storing.ts:graph" }, store: { ttl: { default_ttl: 10 } } };
  await using agent = await startConfigured({ keys, files });
  await agent.call("POST", "/runs/wait", { assistant_id: "agent", input: { text: "a" } });
  const stored = async () =>
    (await agent.call("POST", "/store/items/search", { refresh_ttl: false })).body.items.length;
  expect(await stored()).toBe(1);
  agent.clock.advance("11m");
  expect(await stored()).toBe(0);
});

test("items expire at the sweeps", async () => {
  await using agent = await ttl({ store: { ttl: { default_ttl: 1, sweep_interval_minutes: 60 } } });
  await agent.call("PUT", "/store/items", { namespace: ["a"], key: "b", value: {} });
  const isThere = async () =>
    (await agent.call("POST", "/store/items/search", { refresh_ttl: false })).body.items.length;
  agent.clock.advance("59m");
  expect(await isThere()).toBe(1);
  agent.clock.advance("1m");
  expect(await isThere()).toBe(0);
});
