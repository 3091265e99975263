import { expect, test } from "vitest";
import type { MockServer } from "../../../mock-server/server.ts";
import { until } from "../../kit/agent-server/agent.ts";
import { type Api, apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

/** Starts a run with an event stream on a live deployment's agent server. */
async function stream(mock: MockServer & { cloud: Api }): Promise<Response> {
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  return fetch(`${mock.url}/agents/${body.id}/runs/stream`, {
    method: "POST",
    headers: { "x-api-key": "test-key", "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "agent", input: { messages: [{ role: "user", content: "hello" }] } }),
  });
}

test("a stream is complete without a fault", async () => {
  await using mock = await startForTest();
  mock.clock.resume();
  const response = await stream(mock);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(await response.text()).toMatch(/^event: metadata/);
});

test("a stream breaks off in the middle of an event", async () => {
  await using mock = await startForTest();
  mock.clock.resume();
  mock.faults.add({ match: { path: "/agents/*" }, effect: { truncate: true } });
  const response = await stream(mock);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

test("a stream ends in an event that can't be parsed", async () => {
  await using mock = await startForTest();
  mock.clock.resume();
  mock.faults.add({ match: { path: "/agents/*" }, effect: { malformed: true } });
  const text = await (await stream(mock)).text();
  expect(text).toMatch(/data: \{"broken":\n\n$/);
});

test("a delayed request keeps its body, on an agent server too", async () => {
  await using mock = await startForTest();
  mock.clock.resume();
  mock.faults.add({ match: { path: "/agents/*" }, effect: { latency: "1ms" } });
  expect(await (await stream(mock)).text()).toMatch(/^event: metadata/);
});

test("a run whose client is reset is cancelled if the client requested that", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const agent = apiOf(`${mock.url}/agents/${body.id}`);
  const { body: thread } = await agent("POST", "/threads", {});
  mock.faults.add({ match: { path: "/agents/*/runs/stream" }, effect: { reset: "after" } });
  const run = { assistant_id: "delay", input: { ms: 60_000 }, on_disconnect: "cancel" };
  await expect(agent("POST", `/threads/${thread.thread_id}/runs/stream`, run)).rejects.toThrow();
  await until(async () => {
    const { body: runs } = await agent("GET", `/threads/${thread.thread_id}/runs`);
    return runs[0]?.status === "interrupted";
  });
});
