import { expect, test } from "vitest";
import { agentServerRoutes } from "../../../mock-server/agent-server/agent-app.ts";
import { startAgent } from "../../kit/agent-server/agent.ts";

const id = "00000000-0000-4000-8000-000000000001";

test.each([
  ["GET", `/threads/${id}/runs/wait`],
  ["GET", `/threads/${id}/runs/stream`],
  ["GET", `/threads/${id}/state/checkpoint`],
  ["PATCH", "/runs/crons/count"],
  ["DELETE", "/assistants/search"],
  ["GET", "/threads/count"],
])("%s %s is a method that the path doesn't support", async (method, path) => {
  await using agent = await startAgent();
  const response = await agent.call(method, path, method === "GET" ? undefined : {});
  expect(response).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
});

test("an empty parameter counts as absent, for every parameter", async () => {
  await using agent = await startAgent();
  const { body: thread } = await agent.call("POST", "/threads", {});
  const { body: run } = await agent.call("POST", `/threads/${thread.thread_id}/runs`, {
    assistant_id: "chat",
    input: { messages: [] },
  });
  await agent.call("GET", `/threads/${thread.thread_id}/runs/${run.run_id}/join`);
  const values: Record<string, string> = { thread_id: thread.thread_id, run_id: run.run_id, assistant_id: "chat" };
  for (const route of agentServerRoutes) {
    // A thread's stream never ends.
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

test("an empty checkpoint id counts as absent wherever a body has one", async () => {
  await using agent = await startAgent();
  const path = `/threads/${id}`;
  const run = { assistant_id: "approval", input: { log: ["start"] }, if_not_exists: "create" };
  const empty = {
    checkpoint_id: "",
    checkpoint: { checkpoint_id: "" },
    config: { configurable: { checkpoint_id: "" } },
  };
  const interrupted = (await agent.call("POST", `${path}/runs/wait`, { ...run, ...empty })).body;
  expect(interrupted).toMatchObject({ __interrupt__: [{ value: { question: "approve?" } }] });
  const state = (await agent.call("GET", `${path}/state`)).body;
  expect((await agent.call("POST", `${path}/state/checkpoint`, { checkpoint: { checkpoint_id: "" } })).body).toEqual(
    state,
  );
  for (const before of ["", { checkpoint_id: "" }, { configurable: { checkpoint_id: "" } }]) {
    const history = (await agent.call("POST", `${path}/history`, { before, checkpoint: { checkpoint_id: "" } })).body;
    expect(history).toEqual((await agent.call("GET", `${path}/history`)).body);
    expect(history[0]).toEqual(state);
  }
  const update = { values: { log: ["by hand"] }, as_node: "ask", checkpoint_id: "", checkpoint: { checkpoint_id: "" } };
  expect(await agent.call("POST", `${path}/state`, update)).toMatchObject({ status: 200 });
  expect((await agent.call("GET", `${path}/state`)).body).toMatchObject({ next: ["act"] });
});

test.each(["checkpoint_id", "checkpoint_ns"])("a %s of a config that isn't text is refused by name", async (name) => {
  await using agent = await startAgent();
  const config = { configurable: { [name]: 5 } };
  const { status, body } = await agent.call("POST", "/runs/wait", { assistant_id: "agent", input: {}, config });
  expect([status, body.detail]).toEqual([422, expect.stringContaining(`body.config.configurable.${name}`)]);
  const unnamed = { configurable: { [name]: null } };
  const accepted = await agent.call("POST", "/runs/wait", { assistant_id: "agent", input: {}, config: unnamed });
  expect(accepted.status).toBe(200);
});
