import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { startAgent } from "../../../kit/agent-server/agent.ts";
import { mcpOf } from "../../../kit/agent-server/mcp.ts";
import { startForTest } from "../../../kit/mock-server/api.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const pong = { jsonrpc: "2.0", id: 1, result: {} };
const failed = (code: number, message: unknown, id: number | null = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
const text = expect.any(String);

test.each([
  ["a version that the server knows", "2024-11-05", "2024-11-05"],
  ["another version that it knows", "2025-06-18", "2025-06-18"],
  ["a version that it doesn't know", "1999-01-01", "2025-11-25"],
])("a client that initializes with %s gets one to use", async (_, protocolVersion, expected) => {
  await using agent = await startAgent();
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  for (const path of ["/mcp", "/mcp/"]) {
    expect(await mcpOf(agent.call, path).request("initialize", params)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: expected,
        capabilities: { tools: {} },
        serverInfo: { name: "graphdeploy", version: "0.1.0" },
      },
    });
  }
});

test.each<[name: string, body: unknown, headers: Record<string, string>, status: number, response: unknown]>([
  ["a request", ping, {}, 200, pong],
  ["a request of any content type", ping, { "content-type": "text/plain" }, 200, pong],
  ["a request of a known version", ping, { "mcp-protocol-version": "2025-11-25" }, 200, pong],
  ["a request of an unknown version", ping, { "mcp-protocol-version": "2030-01-01" }, 400, failed(-32000, text)],
  ["a request that accepts JSON only", ping, { accept: "application/json" }, 400, failed(-32000, text)],
  ["a request that accepts anything", ping, { accept: "*/*" }, 400, failed(-32000, text)],
  ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, 202, ""],
  ["an unknown notification", { jsonrpc: "2.0", method: "notifications/of/mine" }, {}, 202, ""],
  ["a response", pong, {}, 202, ""],
  ["a request that is to be a task", { ...ping, params: { task: { ttl: 1 } } }, {}, 200, pong],
  ["an unknown method", { ...ping, method: "prompts/list" }, {}, 200, failed(-32601, "Method not found", 1)],
  ["an empty body", "", {}, 400, failed(-32700, "The body isn't JSON.")],
  ["text", "hello", {}, 400, failed(-32700, "The body isn't JSON.")],
  ["half an object", '{"jsonrpc":"2.0",', {}, 400, failed(-32700, "The body isn't JSON.")],
  ["a value", 3, {}, 400, failed(-32600, text)],
  ["null", "null", {}, 400, failed(-32600, text)],
  ["an object that isn't a message", {}, {}, 400, failed(-32600, text)],
  ["a message of another version of JSON-RPC", { ...ping, jsonrpc: "1.0" }, {}, 400, failed(-32600, text)],
  ["a request without a name", { jsonrpc: "2.0", id: 1 }, {}, 400, failed(-32600, text)],
  ["an id that is null", { ...ping, id: null }, {}, 400, failed(-32600, text)],
  ["parameters that are a list", { ...ping, params: [] }, {}, 400, failed(-32600, text)],
  ["a batch", [ping, { ...ping, id: 2 }], {}, 200, [pong, { ...pong, id: 2 }]],
  ["a batch without requests", [{ jsonrpc: "2.0", method: "notifications/initialized" }], {}, 202, ""],
  ["a batch of an old version", [ping], { "mcp-protocol-version": "2025-03-26" }, 200, pong],
  ["a batch of a version without", [ping], { "mcp-protocol-version": "2025-06-18" }, 400, failed(-32600, text)],
  ["an empty batch", [], {}, 400, failed(-32600, text)],
  ["a batch with something else", [ping, 1], {}, 400, failed(-32600, text)],
  ["a batch of too many", Array.from({ length: 101 }, () => ping), {}, 400, failed(-32600, text)],
  ["deep JSON", `${"[".repeat(501)}${"]".repeat(501)}`, {}, 400, failed(-32700, text)],
  ["a page of this machine", ping, { origin: "http://localhost:6274" }, 200, pong],
  ["a page of another site", ping, { origin: "https://a.example" }, 403, { detail: expect.stringContaining("cors") }],
  ["a page of no site", ping, { origin: "null" }, 403, { detail: text }],
  ["a form of another site", ping, { "sec-fetch-site": "cross-site" }, 403, { detail: text }],
])("%s gets the response of the protocol", async (_, body, headers, status, response) => {
  await using agent = await startAgent();
  const { send } = mcpOf(agent.call);
  expect(await send(body, headers)).toMatchObject({ status, body: response });
  expect(agent.defects).toEqual([]);
});

test.each([
  ["initialize", {}, "params.protocolVersion: Field required; params.capabilities: Field required"],
  ["tools/list", { cursor: 3 }, "params.cursor: Input should be a valid string"],
  ["tools/list", { cursor: "next" }, "The cursor is invalid."],
  ["tools/call", {}, "params.name: Field required"],
  ["tools/call", { name: "delay", arguments: "all" }, "params.arguments: Input should be a valid dictionary"],
  ["tools/call", { name: "nobody" }, "Unknown tool: nobody"],
])("%s with invalid parameters %j says what is wrong", async (method, params, message) => {
  await using agent = await startAgent();
  const { error } = await mcpOf(agent.call).request(method, params);
  expect(error).toEqual({ code: -32602, message: expect.stringContaining(message) });
});

test("there is no stream of the server's own messages, no session to end, and no other method", async () => {
  await using agent = await startAgent();
  for (const path of ["/mcp", "/mcp/"]) {
    const refused = await agent.call("GET", path, undefined, { accept: "text/event-stream" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await agent.call("DELETE", path)).toMatchObject({ status: 404, body: { detail: "Session not found" } });
    expect((await agent.call("PUT", path, {})).status).toBe(405);
  }
});

test("the agent server of a deployment needs the key of its workspace", async () => {
  await using mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "a", source: "internal_source" }] });
  const { send } = mcpOf(mock.cloud, `/agents/${deployments[0]?.id}/mcp`);
  expect(await send(ping)).toMatchObject({ status: 200, body: pong });
  expect((await send(ping, { "x-api-key": "" })).status).toBe(401);
});

test("a project turns MCP off, or names the sites whose pages may use it", async () => {
  const file = new URL("../../../fixtures/graph-projects/greeter/graph.json", import.meta.url);
  const config = await readGraphConfig(fileURLToPath(file));
  await using named = await startProject(config);
  await using open = await startAgent({ projectOf: async () => named });
  const call = { name: "greeter", arguments: { name: "you" } };
  const { result } = await mcpOf(open.call).request("tools/call", call, { origin: "https://app.example" });
  expect(result.structuredContent).toEqual({ name: "you", greeting: "Hello you from here" });
  expect((await mcpOf(open.call).send(ping, { origin: "https://other.example" })).status).toBe(403);

  const http = { ...config.http, app: null, disabled: ["mcp" as const] };
  await using off = await startProject({ ...config, http });
  await using closed = await startAgent({ projectOf: async () => off });
  for (const path of ["/mcp", "/mcp/"]) {
    expect(await mcpOf(closed.call, path).send(ping)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
  }
});
