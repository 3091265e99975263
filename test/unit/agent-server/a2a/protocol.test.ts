import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { a2aOf, messageOf } from "../../../kit/agent-server/a2a.ts";
import { startAgent } from "../../../kit/agent-server/agent.ts";
import { startForTest } from "../../../kit/mock-server/api.ts";

const send = { jsonrpc: "2.0", id: "1", method: "message/send", params: { message: messageOf("hello") } };
const stream = { ...send, method: "message/stream" };
const parts = [{ text: "hello" }];
const sendNew = {
  ...send,
  method: "SendMessage",
  params: { message: { messageId: "m1", role: "ROLE_USER", parts } },
};
const sendWithUnderscores = {
  ...sendNew,
  params: {
    message: { message_id: "m1", role: "ROLE_USER", parts: [{ text: "hello", media_type: "text/plain" }] },
    configuration: { return_immediately: false, history_length: 0 },
  },
};
const completed = { jsonrpc: "2.0", id: "1", result: { kind: "task", status: { state: "completed" } } };
const completedNew = { jsonrpc: "2.0", id: "1", result: { task: { status: { state: "TASK_STATE_COMPLETED" } } } };
const failed = (code: number, id: string | number | null = "1") => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: expect.any(String) },
});
const detail = expect.any(String);

test.each<[name: string, body: unknown, headers: Record<string, string>, status: number, response: unknown]>([
  ["a message", send, {}, 200, completed],
  ["a message of a numbered request", { ...send, id: 7 }, {}, 200, { ...completed, id: 7 }],
  ["a message of any content type", send, { "content-type": "text/plain" }, 200, completed],
  ["a message of 0.3, by name", send, { "a2a-version": "0.3" }, 200, completed],
  ["a message of 0.3.0, by name", send, { "a2a-version": "0.3.0" }, 200, completed],
  ["a message of 1.0, by its method", sendNew, {}, 200, completedNew],
  ["a message of 1.0, by name", sendNew, { "a2a-version": "1.0" }, 200, completedNew],
  ["a message of 1.0 with underscores in its names", sendWithUnderscores, {}, 200, completedNew],
  ["a message of 1.0 with a method of 0.3", send, { "a2a-version": "1.0" }, 200, failed(-32601)],
  ["a message of another version", send, { "a2a-version": "2.0" }, 200, failed(-32009)],
  ["a message that accepts JSON only", send, { accept: "application/json" }, 200, completed],
  ["a message that accepts anything", send, { accept: "*/*" }, 200, completed],
  ["a message that accepts streams only", send, { accept: "text/event-stream" }, 400, failed(-32600)],
  ["a stream for a client that accepts JSON only", stream, { accept: "application/json" }, 400, failed(-32600)],
  ["an unknown method", { ...send, method: "message/shout" }, {}, 200, failed(-32601)],
  ["a method with the name of something inherited", { ...send, method: "toString" }, {}, 200, failed(-32601)],
  ["no parameters", { ...send, params: undefined }, {}, 200, failed(-32602)],
  ["parameters that are a list", { ...send, params: [] }, {}, 200, failed(-32602)],
  ["an empty body", "", {}, 400, failed(-32700, null)],
  ["half an object", '{"jsonrpc":"2.0",', {}, 400, failed(-32700, null)],
  ["deep JSON", `${"[".repeat(501)}${"]".repeat(501)}`, {}, 400, failed(-32700, null)],
  ["a value", 3, {}, 400, failed(-32600, null)],
  ["null", "null", {}, 400, failed(-32600, null)],
  ["a batch", [send, send], {}, 400, failed(-32600, null)],
  ["an empty batch", [], {}, 400, failed(-32600, null)],
  ["another version of JSON-RPC", { ...send, jsonrpc: "1.0" }, {}, 400, failed(-32600)],
  ["a notification", { ...send, id: undefined }, {}, 400, failed(-32600, null)],
  ["an id that is an object", { ...send, id: {} }, {}, 400, failed(-32600, null)],
  ["a request without a method", { ...send, method: undefined }, {}, 400, failed(-32600)],
  ["a page of this machine", send, { origin: "http://localhost:6274" }, 200, completed],
  ["a page of another site", send, { origin: "https://a.example" }, 403, { detail }],
  ["a form of another site", send, { "sec-fetch-site": "cross-site" }, 403, { detail }],
])("%s gets the response of the protocol", async (_, body, headers, status, response) => {
  await using agent = await startAgent();
  expect(await a2aOf(agent.call, "agent").post(body, headers)).toMatchObject({ status, body: response });
  expect(agent.defects).toEqual([]);
});

test.each<[string, unknown, string]>([
  ["message/send", {}, "params.message: Field required"],
  ["message/send", { message: "hello" }, "params.message: Input should be"],
  ["message/send", { message: messageOf("a", { role: "system" }) }, "params.message.role: Input should be"],
  ["message/send", { message: messageOf("a", { messageId: "" }) }, "params.message.messageId: "],
  ["message/send", { message: messageOf("a", { parts: [] }) }, "params.message.parts: "],
  [
    "message/send",
    { message: messageOf("a", { parts: [{ kind: "text", text: 1 }] }) },
    "params.message.parts.0.text: ",
  ],
  ["message/send", { message: messageOf("a", { parts: [{ kind: "video" }] }) }, "params.message.parts.0.kind: "],
  [
    "message/send",
    { message: messageOf("a", { contextId: 123 }) },
    "params.message.contextId: Input should be a valid string",
  ],
  [
    "message/send",
    { message: messageOf("a"), configuration: { historyLength: -1 } },
    "params.configuration.historyLength: ",
  ],
  ["tasks/get", {}, "params.id: Field required"],
  ["tasks/get", { id: " " }, "params.id: "],
  ["tasks/get", { id: "a", historyLength: "all" }, "params.historyLength: "],
  ["tasks/cancel", { id: 3 }, "params.id: Input should be a valid string"],
  ["tasks/pushNotificationConfig/set", { taskId: "a" }, "params.pushNotificationConfig: Field required"],
  ["tasks/pushNotificationConfig/delete", { id: "a" }, "params.pushNotificationConfigId: Field required"],
  ["SendMessage", { message: { messageId: "m", role: "user", parts } }, "params.message.role: "],
  [
    "SendMessage",
    { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "a", url: "b" }] } },
    "one of text, raw, url, data",
  ],
  ["SendMessage", { message: { messageId: "m", role: "ROLE_USER", parts: [{ data: [1] }] } }, "must be an object"],
  ["ListTasks", { pageSize: 101 }, "params.pageSize: "],
  ["ListTasks", { pageToken: "next" }, "params.pageToken: "],
  ["GetTask", {}, "params.id: Field required"],
])("%s with invalid parameters %j says what is wrong", async (method, params, message) => {
  await using agent = await startAgent();
  const { error } = await a2aOf(agent.call, "agent").request(method, params);
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
  expect(agent.defects).toEqual([]);
});

test.each<[string, object, number]>([
  ["tasks/get", { id: "nothing" }, -32001],
  ["tasks/cancel", { id: "a:b" }, -32001],
  [
    "tasks/pushNotificationConfig/set",
    { taskId: "nothing", pushNotificationConfig: { url: "http://localhost" } },
    -32001,
  ],
  ["tasks/pushNotificationConfig/list", { id: "nothing" }, -32001],
  ["message/send", { message: messageOf("a", { taskId: "nothing" }) }, -32001],
  ["agent/getAuthenticatedExtendedCard", {}, -32007],
  ["GetExtendedAgentCard", {}, -32007],
  ["CancelTask", { id: "nothing" }, -32001],
])("%s of what isn't there has the error of the protocol", async (method, params, code) => {
  await using agent = await startAgent();
  const { error } = await a2aOf(agent.call, "agent").request(method, params);
  expect(error).toMatchObject({ code, message: expect.any(String) });
});

test("a stream that fails at its start is a stream in 0.3, and an error in 1.0", async () => {
  await using agent = await startAgent();
  const { stream, request } = a2aOf(agent.call, "agent");
  expect(await stream("tasks/resubscribe", { id: "nothing" })).toMatchObject([{ error: { code: -32001 } }]);
  expect(await request("SubscribeToTask", { id: "nothing" })).toMatchObject({ error: { code: -32001 } });
});

test("an unknown assistant has neither tasks nor a card", async () => {
  await using agent = await startAgent();
  const unknown = { status: 404, body: { detail: expect.stringContaining("nobody not found") } };
  expect(await a2aOf(agent.call, "nobody").post(send)).toMatchObject(unknown);
  expect(await agent.call("GET", "/a2a/nobody/.well-known/agent-card.json")).toMatchObject(unknown);
  expect(await agent.call("GET", "/.well-known/agent-card.json?assistant_id=nobody")).toMatchObject(unknown);
  expect(await agent.call("GET", "/.well-known/agent-card.json")).toMatchObject({
    status: 422,
    body: { detail: "query.assistant_id: Field required" },
  });
  expect((await agent.call("GET", "/a2a/agent")).status).toBe(405);
});

test("an assistant is reached by its id and by the name of its graph, and a person's one by its id", async () => {
  await using agent = await startAgent();
  const { body: own } = await agent.call("POST", "/assistants", {
    graph_id: "agent",
    name: "Mine",
    description: "Repeats.",
  });
  const { send: sendTo } = a2aOf(agent.call, own.assistant_id);
  const task = await sendTo("hello");
  expect(task.status.state).toBe("completed");
  const { body: card } = await agent.call("GET", `/a2a/${own.assistant_id}/.well-known/agent-card.json`);
  expect(card).toMatchObject({ name: "Mine", description: "Repeats.", url: `${agent.url}/a2a/${own.assistant_id}` });
  // A task belongs to its assistant.
  expect(await a2aOf(agent.call, "agent").task(task.id)).toMatchObject({ code: -32001 });
  const { body: run } = await agent.call("GET", `/threads/${task.contextId}/runs/${task.id}`);
  expect(run).toMatchObject({ assistant_id: own.assistant_id, status: "success" });
});

test("the agent server of a deployment needs the key of its workspace", async () => {
  await using mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "a", source: "internal_source" }] });
  const path = `/agents/${deployments[0]?.id}`;
  const call: typeof mock.cloud = (method, rest, body, headers) => mock.cloud(method, path + rest, body, headers);
  expect(await a2aOf(call, "agent").post(send)).toMatchObject({ status: 200, body: completed });
  expect((await a2aOf(call, "agent").post(send, { "x-api-key": "" })).status).toBe(401);
});

test("a project turns A2A off, or names the sites whose pages may use it", async () => {
  const file = new URL("../../../fixtures/graph-projects/greeter/graph.json", import.meta.url);
  const config = await readGraphConfig(fileURLToPath(file));
  await using named = await startProject(config);
  await using open = await startAgent({ projectOf: async () => named });
  const greeter = a2aOf(open.call, "greeter");
  const message = messageOf({ name: "you" });
  const { result } = await greeter.request("message/send", { message }, { origin: "https://app.example" });
  expect(result.artifacts[0].parts).toEqual([{ kind: "data", data: { name: "you", greeting: "Hello you from here" } }]);
  expect((await greeter.post(send, { origin: "https://other.example" })).status).toBe(403);
  expect(await greeter.request("message/send", { message: messageOf("hello") })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("messages") },
  });

  const http = { ...config.http, app: null, disabled: ["a2a" as const] };
  await using off = await startProject({ ...config, http });
  await using closed = await startAgent({ projectOf: async () => off });
  const gone = { status: 404, body: { detail: "Not Found" } };
  expect(await a2aOf(closed.call, "greeter").post(send)).toMatchObject(gone);
  expect(await closed.call("GET", "/.well-known/agent-card.json?assistant_id=greeter")).toMatchObject(gone);
});
