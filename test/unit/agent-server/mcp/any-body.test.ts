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
  const post = (body: unknown) => {
    const headers = { accept: "application/json, text/event-stream" };
    return inject((context) => server.handle(agent, "/mcp/", context, null), {
      method: "POST",
      path: "/mcp/",
      headers,
      body,
    });
  };
  return { defects, post, [Symbol.dispose]: () => server.close?.() };
}

const anything = fc.jsonValue({ maxDepth: 4 });
const method = fc.constantFrom(
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "notifications/cancelled",
  "notifications/progress",
  "tasks/get",
  "__proto__",
  "",
);
const field = (name: string, value: fc.Arbitrary<unknown>) => fc.record({ [name]: value }, { requiredKeys: [] });
const params = fc
  .tuple(
    field("name", fc.oneof(fc.constantFrom("chat", "failure", "subgraph", "toString"), anything)),
    field("arguments", fc.oneof(fc.dictionary(fc.string(), anything), anything)),
    field("cursor", fc.oneof(fc.constantFrom("0", "-1", "99999999999"), anything)),
    field("requestId", fc.oneof(fc.nat(3), anything)),
    field("_meta", fc.oneof(field("progressToken", fc.oneof(fc.string(), anything)), anything)),
    field("task", anything),
  )
  .map((parts) => Object.assign({}, ...parts));
const message = fc
  .tuple(
    fc.constantFrom({ jsonrpc: "2.0" }, { jsonrpc: "2.0" }, { jsonrpc: 2 }, {}),
    field("id", fc.oneof(fc.nat(3), fc.string(), anything)),
    fc.oneof({ weight: 4, arbitrary: fc.record({ method }) }, field("method", anything)),
    fc.oneof({ weight: 4, arbitrary: fc.record({ params }) }, field("params", anything)),
    field("result", anything),
  )
  .map((parts) => Object.assign({}, ...parts));
const deep = fc.integer({ min: 1, max: 3000 }).map((depth) => `${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`);
const broken = fc.tuple(message, fc.nat(200)).map(([value, at]) => JSON.stringify(value).slice(0, at));
const body = fc.oneof(
  { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 6 }).map((value) => JSON.stringify(value)) },
  fc.string(),
  deep,
  broken,
);

test("whatever the body is, the response is one of the protocol", async () => {
  using server = startServer();
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const response = await server.post(sent);
      const text = await response.text();
      expect([200, 202, 400]).toContain(response.status);
      if (response.status === 202) {
        expect(text).toBe("");
        return;
      }
      const isStream = response.headers.get("content-type") === "text/event-stream";
      const frames = isStream ? text.split("\n\n").filter((frame) => frame.startsWith("event: message")) : [text];
      for (const frame of frames) {
        const messages = [JSON.parse(frame.replace(/^event: message\ndata: /, ""))].flat();
        for (const one of messages) {
          expect(one.jsonrpc).toBe("2.0");
          const kinds = ["result", "error", "method"].filter((name) => Object.hasOwn(one, name));
          expect(kinds).toHaveLength(1);
          if (one.error) expect([-32700, -32600, -32601, -32602, -32000]).toContain(one.error.code);
        }
      }
    }),
    { seed: 7, numRuns: 800 },
  );
  expect(server.defects).toEqual([]);
}, 30_000);

test("a large body is handled, and one over the limit refused", async () => {
  using server = startServer();
  const call = (text: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "chat", arguments: { messages: [{ role: "user", content: text }] } },
  });
  const taken = await server.post(call("x".repeat(4 * 1024 * 1024)));
  expect(await taken.json()).toMatchObject({ result: { structuredContent: { messages: [{}, {}] } } });
  expect((await server.post(call("x".repeat(17 * 1024 * 1024)))).status).toBe(413);
});
