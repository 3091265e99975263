import { expect, test } from "vitest";
import { agentServerRoutes } from "../../mock-server/agent-server/agent-app.ts";
import { startAgent } from "./agent.ts";

const id = "00000000-0000-4000-8000-000000000001";

test.each([
  ["GET", `/threads/${id}/runs/wait`],
  ["GET", `/threads/${id}/runs/stream`],
  ["GET", `/threads/${id}/state/checkpoint`],
  ["PATCH", "/runs/crons/count"],
  ["DELETE", "/assistants/search"],
  ["GET", "/threads/count"],
])("%s %s is a method that the path doesn't have", async (method, path) => {
  await using agent = await startAgent();
  const response = await agent.call(method, path, method === "GET" ? undefined : {});
  expect(response).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
});

test("an empty parameter counts as absent, whichever it is", async () => {
  await using agent = await startAgent();
  const { body: thread } = await agent.call("POST", "/threads", {});
  const { body: run } = await agent.call("POST", `/threads/${thread.thread_id}/runs`, {
    assistant_id: "chat",
    input: { messages: [] },
  });
  await agent.call("GET", `/threads/${thread.thread_id}/runs/${run.run_id}/join`);
  const values: Record<string, string> = { thread_id: thread.thread_id, run_id: run.run_id, assistant_id: "chat" };
  for (const route of agentServerRoutes) {
    // The stream of a thread never ends.
    if (route.method !== "get" || route.id === "join_thread_stream" || !route.query) continue;
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? id);
    const required = Object.entries(route.query).filter(([, { schema }]) => !schema.safeParse(undefined).success);
    const given = required.map(([name]) => `${name}=x`);
    const empty = Object.keys(route.query).filter((name) => !required.some(([other]) => other === name));
    const plain = await agent.call("GET", `${path}?${given.join("&")}`);
    const withEmpty = await agent.call("GET", `${path}?${[...given, ...empty.map((name) => `${name}=`)].join("&")}`);
    expect({ ...withEmpty, headers: null }, path).toEqual({ ...plain, headers: null });
  }
});
