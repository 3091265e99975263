import { afterAll, expect, test } from "vitest";
import { a2aOf, messageOf } from "../../../kit/agent-server/a2a.ts";
import { startAgent } from "../../../kit/agent-server/agent.ts";
import { startProject } from "../../../kit/agent-server/compiled/project.ts";

const guarded = await startProject("guarded");
afterAll(() => guarded.close());

function as(name: string, agent: Awaited<ReturnType<typeof startAgent>>) {
  const call: typeof agent.call = (method, path, body, headers) =>
    agent.call(method, path, body, { ...headers, authorization: `Bearer ${name}` });
  return a2aOf(call, "who");
}

test("what a caller starts is the caller's, and nothing of it is there for others", async () => {
  await using agent = await startAgent({ projectOf: async () => guarded });
  const ann = as("ann", agent);
  const bob = as("bob", agent);
  const task = await ann.send({});
  expect(task.artifacts[0].parts[0].data).toMatchObject({ seen: { graph_auth_user_id: "ann" } });
  expect(await ann.task(task.id)).toEqual(task);
  const { id } = task;
  const pushNotificationConfig = { url: "http://127.0.0.1/" };
  const missing = { error: { code: -32001, message: expect.stringContaining("not found") } };
  for (const [method, params] of [
    ["tasks/get", { id }],
    ["tasks/cancel", { id }],
    ["GetTask", { id: `${task.contextId}:${id}` }],
    ["SubscribeToTask", { id }],
    ["tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig }],
    ["tasks/pushNotificationConfig/list", { id }],
    ["message/send", { message: messageOf({}, { taskId: id }) }],
  ] as const) {
    expect(await bob.request(method, params), method).toMatchObject(missing);
  }
  const onThread = { message: messageOf({}, { contextId: task.contextId }) };
  expect(await bob.request("message/send", onThread)).toMatchObject({ error: { code: -32602 } });
  expect((await ann.request("ListTasks", {})).result.totalSize).toBe(1);
  expect((await bob.request("ListTasks", {})).result.totalSize).toBe(0);
  // The same name of a context is another context.
  const named = await Promise.all([ann, bob].map((client) => client.send({}, { contextId: "mine" })));
  expect(named.map(({ status }) => status.state)).toEqual(["completed", "completed"]);
  expect(agent.defects).toEqual([]);
});

test("who isn't admitted gets the refusal of HTTP", async () => {
  await using agent = await startAgent({ projectOf: async () => guarded });
  const refused = { status: 401, body: { detail: "Unknown token" } };
  expect(
    await as("eve", agent).post({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "a" } }),
  ).toMatchObject(refused);
});

test("handlers that forbid to start a run or to read forbid it with their status", async () => {
  await using forbidding = await startProject("guarded");
  const auth = {
    admitsStudio: false,
    authenticate: async () => ({ identity: "ann", permissions: [], is_authenticated: true, display_name: "ann" }),
    async authorize({ resource, action }: { resource: string; action: string }) {
      const { HttpError } = await import("../../../../mock-server/kit/http/http-error.ts");
      throw new HttpError(403, `No ${resource}:${action} for you`);
    },
  };
  const served = Object.assign(Object.create(forbidding), { auth });
  served.respond = (request: Parameters<typeof forbidding.respond>[0]) => forbidding.respond(request);
  await using agent = await startAgent({ projectOf: async () => served });
  const { post } = a2aOf(agent.call, "who");
  for (const [method, params, detail] of [
    ["message/send", { message: messageOf({}) }, "No threads:create_run for you"],
    ["message/stream", { message: messageOf({}) }, "No threads:create_run for you"],
    ["tasks/get", { id: "a" }, "No threads:read for you"],
    ["tasks/resubscribe", { id: "a" }, "No threads:read for you"],
    ["tasks/cancel", { id: "a" }, "No threads:update for you"],
    ["ListTasks", {}, "No threads:search for you"],
  ] as const) {
    expect(await post({ jsonrpc: "2.0", id: 1, method, params }), method).toMatchObject({
      status: 403,
      body: { detail },
    });
  }
});
