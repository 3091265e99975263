import fc from "fast-check";
import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { inject } from "../../../../mock-server/kit/http/inject.ts";

const agent = {
  identity: { id: "a", name: "a", tenantId: "t", kind: "saas" as const },
  revisionId: "r",
};

function startServer() {
  const defects: unknown[] = [];
  const server = createGraphAgentServer({ graphs: builtInGraphs, onDefect: (error) => defects.push(error) });
  const post = (assistant: string, body: unknown, more: Record<string, string> = {}) => {
    const headers = { accept: "application/json, text/event-stream", ...more };
    const path = `/a2a/${assistant}`;
    return inject((context) => server.handle(agent, path, context, null), { method: "POST", path, headers, body });
  };
  return { defects, post, [Symbol.dispose]: () => server.close?.() };
}

const anything = fc.jsonValue({ maxDepth: 4 });
const field = (name: string, value: fc.Arbitrary<unknown>) => fc.record({ [name]: value }, { requiredKeys: [] });
const either = (...values: fc.Arbitrary<unknown>[]) => fc.oneof(...values, anything);
const fields = (...parts: fc.Arbitrary<object>[]) => fc.tuple(...parts).map((all) => Object.assign({}, ...all));

const ids = ["", "a", "a:b", ":", "00000000-0000-4000-8000-000000000001", "__proto__"];
const part = fields(
  field("kind", either(fc.constantFrom("text", "data", "file"))),
  field("text", either(fc.string())),
  field("data", either(fc.dictionary(fc.string(), anything), fc.record({ resume: anything, messages: anything }))),
  field(
    "file",
    either(fc.record({ bytes: fc.base64String(), mimeType: fc.string() }), fc.record({ uri: fc.string() })),
  ),
  field("raw", either(fc.base64String())),
  field("metadata", anything),
);
const message = fields(
  fc.oneof({ weight: 5, arbitrary: fc.constant({ messageId: "m" }) }, field("messageId", anything)),
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ role: fc.constantFrom("user", "agent", "ROLE_USER", "ROLE_AGENT") }) },
    field("role", anything),
  ),
  fc.oneof({ weight: 5, arbitrary: fc.record({ parts: fc.array(part, { maxLength: 3 }) }) }, field("parts", anything)),
  field("contextId", either(fc.constantFrom(...ids))),
  field("taskId", either(fc.constantFrom(...ids))),
  field("extensions", anything),
  field("referenceTaskIds", anything),
);
const push = fields(
  field("url", either(fc.constantFrom("http://127.0.0.1:1/", "http://10.0.0.1/"))),
  field("token", anything),
  field("authentication", either(fc.record({ schemes: anything, scheme: anything, credentials: anything }))),
);
const configuration = fields(
  field("blocking", either(fc.boolean())),
  field("historyLength", either(fc.integer())),
  field("acceptedOutputModes", anything),
  field("pushNotificationConfig", either(push)),
  field("taskPushNotificationConfig", either(push)),
);
const params = fields(
  fc.oneof({ weight: 4, arbitrary: fc.record({ message }) }, field("message", anything)),
  field("configuration", either(configuration)),
  field("id", either(fc.constantFrom(...ids))),
  field("taskId", either(fc.constantFrom(...ids))),
  field("contextId", either(fc.constantFrom(...ids))),
  field("pushNotificationConfig", either(push)),
  field("pushNotificationConfigId", anything),
  field("pageSize", either(fc.integer())),
  field("pageToken", either(fc.constantFrom("1", "99999999999"))),
  field("historyLength", either(fc.integer())),
  field("status", either(fc.constantFrom("TASK_STATE_COMPLETED", "TASK_STATE_NONSENSE"))),
  field("tenant", anything),
  field("url", anything),
);
const method = fc.constantFrom(
  ...["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"],
  ...["set", "get", "list", "delete"].map((name) => `tasks/pushNotificationConfig/${name}`),
  ...["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask"],
  ...["Create", "Get", "Delete"].map((name) => `${name}TaskPushNotificationConfig`),
  ...["ListTaskPushNotificationConfigs", "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"],
  ...["__proto__", "constructor", ""],
);
const request = fields(
  fc.constantFrom({ jsonrpc: "2.0" }, { jsonrpc: "2.0" }, { jsonrpc: "2.0" }, { jsonrpc: 2 }, {}),
  fc.oneof({ weight: 4, arbitrary: fc.record({ id: fc.oneof(fc.nat(3), fc.string()) }) }, field("id", anything)),
  fc.oneof({ weight: 5, arbitrary: fc.record({ method }) }, field("method", anything)),
  fc.oneof({ weight: 5, arbitrary: fc.record({ params }) }, field("params", anything)),
);
const deep = fc.integer({ min: 1, max: 3000 }).map((depth) => `${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
const broken = fc.tuple(request, fc.nat(200)).map(([value, at]) => JSON.stringify(value).slice(0, at));
const body = fc.oneof(
  { weight: 8, arbitrary: request.map((value) => JSON.stringify(value)) },
  fc.array(request, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  fc.string(),
  deep,
  broken,
);
const assistant = fc.constantFrom("agent", "approval", "chat", "failure");
const version = fc.constantFrom<Record<string, string>[]>({}, {}, { "a2a-version": "1.0" }, { "a2a-version": "9" });

const codes = [-32700, -32600, -32601, -32602, -32001, -32002, -32004, -32005, -32007, -32009];

test("whatever the body is, the response is one of the protocol", async () => {
  using server = startServer();
  const seen = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(assistant, body, version, async (name, sent, headers) => {
      const response = await server.post(name, sent, headers);
      const text = await response.text();
      expect([200, 400]).toContain(response.status);
      const isStream = response.headers.get("content-type") === "text/event-stream";
      const frames = isStream ? text.split("\n\n").filter((frame) => frame.startsWith("data: ")) : [text];
      expect(frames.length).toBeGreaterThan(0);
      for (const frame of frames) {
        const one = JSON.parse(frame.replace(/^data: /, ""));
        expect(one.jsonrpc).toBe("2.0");
        expect(["result", "error"].filter((kind) => Object.hasOwn(one, kind))).toHaveLength(1);
        expect(Object.hasOwn(one, "id")).toBe(true);
        if (one.error) expect(codes, text).toContain(one.error.code);
        seen.add(one.error?.code ?? "result");
      }
    }),
    { seed: 7, numRuns: 1500 },
  );
  expect(server.defects).toEqual([]);
  for (const outcome of ["result", -32700, -32600, -32601, -32602, -32001]) expect(seen).toContain(outcome);
}, 60_000);

test("a large message is handled, and one over the limit refused", async () => {
  using server = startServer();
  const send = (text: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "message/send",
    params: { message: { role: "user", messageId: "m", parts: [{ kind: "text", text }] } },
  });
  const taken = await server.post("chat", send("x".repeat(4 * 1024 * 1024)));
  expect(await taken.json()).toMatchObject({ result: { status: { state: "completed" } } });
  expect((await server.post("chat", send("x".repeat(17 * 1024 * 1024)))).status).toBe(413);
});
