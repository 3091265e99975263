import { once } from "node:events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { errorCodes } from "../../../../mock-server/agent-server/event-streaming/command-error.ts";
import { startAgent, thread } from "../../../kit/agent-server/agent.ts";
import { threadOf } from "../../../kit/agent-server/event-streaming.ts";

const anything = fc.jsonValue({ maxDepth: 4 });
const field = (name: string, value: fc.Arbitrary<unknown>) => fc.record({ [name]: value }, { requiredKeys: [] });
const method = fc.constantFrom(
  "run.start",
  "input.respond",
  "input.inject",
  "state.get",
  "state.listCheckpoints",
  "state.fork",
  "agent.getTree",
  "subscription.subscribe",
  "subscription.unsubscribe",
  "subscription.reconnect",
  "__proto__",
  "constructor",
  "",
);
const params = fc
  .tuple(
    field("assistant_id", fc.oneof(fc.constantFrom("chat", "events", "failure", "approval", "toString"), anything)),
    field("input", fc.oneof(fc.record({ steps: fc.nat(3) }), anything)),
    field("config", fc.oneof(field("configurable", fc.dictionary(fc.string(), anything)), anything)),
    field("metadata", fc.oneof(fc.dictionary(fc.string(), anything), anything)),
    field("multitask_strategy", fc.oneof(fc.constantFrom("reject", "rollback", "interrupt", "enqueue"), anything)),
    field("interrupt_id", fc.oneof(fc.string(), anything)),
    field("responses", fc.oneof(fc.array(field("interrupt_id", fc.string())), anything)),
    field("goto", fc.oneof(fc.constantFrom("ask", "__end__"), anything)),
    field("namespace", fc.oneof(fc.array(fc.string()), anything)),
    field("channels", fc.oneof(fc.constantFrom(["values"], ["lifecycle", "custom:a"], []), anything)),
    field("namespaces", fc.oneof(fc.array(fc.array(fc.string())), anything)),
    field("depth", fc.oneof(fc.nat(2), anything)),
    field("since", fc.oneof(fc.nat(100), anything)),
    field("checkpoint_id", fc.oneof(fc.string(), anything)),
    field("limit", fc.oneof(fc.nat(3), anything)),
  )
  .map((parts) => Object.assign({}, ...parts));
const command = fc
  .tuple(
    field("id", fc.oneof({ weight: 6, arbitrary: fc.nat(1000) }, anything)),
    fc.oneof({ weight: 6, arbitrary: fc.record({ method }) }, field("method", anything)),
    fc.oneof({ weight: 6, arbitrary: fc.record({ params }) }, field("params", anything)),
  )
  .map((parts) => Object.assign({}, ...parts));
const deep = fc.integer({ min: 1, max: 3000 }).map((depth) => `${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
const broken = fc.tuple(command, fc.nat(200)).map(([value, at]) => JSON.stringify(value).slice(0, at));
const text = fc.oneof(
  { weight: 8, arbitrary: command.map((value) => JSON.stringify(value)) },
  fc.string(),
  deep,
  broken,
);

// biome-ignore lint/suspicious/noExplicitAny: a response of any shape is checked
function checkResponse(response: any): void {
  expect(["success", "error"]).toContain(response.type);
  if (response.type === "success") {
    expect(response.result).toEqual(expect.any(Object));
    expect(response.meta.applied_through_seq).toEqual(expect.any(Number));
  } else {
    expect(errorCodes).toContain(response.error);
    expect(response.error).not.toBe("unknown_error");
    expect(response.message).not.toBe("");
  }
  expect(response.id === null || Number.isSafeInteger(response.id)).toBe(true);
}

test("whatever is sent as a command, the response is one of the protocol", async () => {
  await using agent = await startAgent();
  agent.clock.resume();
  await fc.assert(
    fc.asyncProperty(text, fc.nat(3), async (sent, n) => {
      const { status, body } = await agent.call("POST", `/threads/${thread(n + 1)}/commands`, sent);
      const isCommand = body.type === "success" || body.id !== null;
      expect(isCommand ? [200, 400] : [400]).toContain(status);
      checkResponse(body);
    }),
    { seed: 11, numRuns: 600 },
  );
  expect(agent.defects).toEqual([]);
}, 60_000);

test("whatever a subscription is, the response is a stream or says what is wrong", async () => {
  await using agent = await startAgent();
  await threadOf(agent.url, agent.call, thread(1)).run("events", { steps: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        params.map((value) => JSON.stringify(value)),
        text,
      ),
      async (body) => {
        const leaving = new AbortController();
        const response = await fetch(`${agent.url}/threads/${thread(1)}/stream/events`, {
          method: "POST",
          body,
          signal: leaving.signal,
        });
        expect([200, 400]).toContain(response.status);
        if (response.status === 400) expect((await response.json()) as object).toEqual({ detail: expect.any(String) });
        leaving.abort();
      },
    ),
    { seed: 12, numRuns: 300 },
  );
  expect(agent.defects).toEqual([]);
}, 60_000);

test("whatever a socket sends, each text gets one response in order, and a closed socket leaves nothing behind", async () => {
  await using agent = await startAgent();
  agent.clock.resume();
  const frame = fc.oneof({ weight: 12, arbitrary: text }, fc.uint8Array({ maxLength: 20 }));
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), fc.nat(3), async (frames, n) => {
      const url = `${agent.url.replace("http", "ws")}/threads/${thread(n + 1)}/stream/events`;
      const socket = new WebSocket(url);
      // biome-ignore lint/suspicious/noExplicitAny: a response of any shape is checked
      const responses: any[] = [];
      socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.type !== "event") responses.push(message);
      });
      const closed = once(socket, "close");
      await once(socket, "open");
      for (const one of frames) socket.send(one);
      const bad = frames.findIndex((one) => typeof one !== "string");
      if (bad < 0) {
        const count = () => responses.length >= frames.length;
        while (!count() && socket.readyState === WebSocket.OPEN) await new Promise((resolve) => setImmediate(resolve));
        expect(responses).toHaveLength(frames.length);
        socket.close();
      }
      const [code] = await closed;
      expect(code).toBe(bad < 0 ? 1005 : 1003);
      for (const response of responses) checkResponse(response);
    }),
    { seed: 13, numRuns: 150 },
  );
  expect(agent.defects).toEqual([]);
}, 60_000);
