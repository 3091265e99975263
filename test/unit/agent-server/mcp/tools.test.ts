import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { agentSchema } from "../../../../mock-server/agent-server/persistence/agent-schema.ts";
import { builtInGraphs } from "../../../../mock-server/graphs/built-in-graphs.ts";
import { HttpError } from "../../../../mock-server/kit/http/http-error.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { parseEvents, startAgent, type TestAgent, until } from "../../../kit/agent-server/agent.ts";
import { mcpOf } from "../../../kit/agent-server/mcp.ts";

const projectFile = (name: string) => new URL(`../../../fixtures/graph-projects/${name}/graph.json`, import.meta.url);
const guarded = await startProject(await readGraphConfig(fileURLToPath(projectFile("guarded"))));
afterAll(() => guarded.close());

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const namesOf = ({ result }: { result: { tools: { name: string }[] } }) => result.tools.map(({ name }) => name);
const callOf = (id: number, ms: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "delay", arguments: { ms } },
});
const cancellation = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const running = async (agent: TestAgent) =>
  (await agent.call("GET", "/metrics?format=json")).body.queue.num_running as number;

test("every assistant is a tool with its description and the schema of its graph's input", async () => {
  await using agent = await startAgent();
  const described = { graph_id: "delay", name: "patient", description: "Waits." };
  await agent.call("POST", "/assistants", described);
  const { tools } = (await mcpOf(agent.call).request("tools/list")).result;
  const { body: schemas } = await agent.call("GET", "/assistants/delay/schemas");
  expect(tools).toContainEqual({
    name: "delay",
    description: "Takes its time.",
    inputSchema: schemas.input_schema,
  });
  expect(tools.at(-1)).toEqual({ name: "patient", description: "Waits.", inputSchema: schemas.input_schema });
});

test("of assistants with the same name, the oldest has it, and the others have their ids", async () => {
  await using agent = await startAgent();
  const { request } = mcpOf(agent.call);
  const { body: later } = await agent.call("POST", "/assistants", { graph_id: "failure", name: "delay" });
  const names = namesOf(await request("tools/list"));
  expect(names.filter((name) => name === "delay")).toHaveLength(1);
  expect(names.at(-1)).toBe(later.assistant_id);
  expect((await request("tools/call", { name: "delay", arguments: { ms: 0 } })).result.structuredContent.done).toBe(1);
  expect((await request("tools/call", { name: later.assistant_id })).result.isError).toBe(true);
});

test("tools come in pages", async () => {
  await using agent = await startAgent();
  const { request } = mcpOf(agent.call);
  for (let n = 0; n < 110; n++) await agent.call("POST", "/assistants", { graph_id: "chat", name: `assistant ${n}` });
  const first = await request("tools/list");
  expect(first.result.tools).toHaveLength(100);
  const second = await request("tools/list", { cursor: first.result.nextCursor });
  expect(second.result.nextCursor).toBeUndefined();
  const names = [...namesOf(first), ...namesOf(second)];
  expect(new Set(names).size).toBe(names.length);
  expect(names.at(-1)).toBe("assistant 109");
  expect(namesOf(await request("tools/list", { cursor: "100000" }))).toEqual([]);
});

test("a tool whose graph is gone is left out", async () => {
  const database = await Database.inMemory([agentSchema]);
  await using before = await startAgent({ database });
  await before.call("POST", "/assistants", { graph_id: "chat", name: "talker" });
  await using after = await startAgent({ database, graphs: builtInGraphs.filter(({ id }) => id === "delay") });
  const { request } = mcpOf(after.call);
  expect(namesOf(await request("tools/list"))).toEqual(["delay"]);
  const { error } = await request("tools/call", { name: "talker" });
  expect(error).toEqual({ code: -32602, message: expect.stringContaining("Graph chat not found") });
});

test("the result of a call is the run's, as text and as structured content", async () => {
  await using agent = await startAgent();
  const { request } = mcpOf(agent.call);
  const { result } = await request("tools/call", { name: "delay", arguments: { ms: 0, steps: 2 } });
  expect(result.structuredContent).toEqual({ ms: 0, steps: 2, done: 2 });
  expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
  expect(result.isError).toBeUndefined();
  expect((await request("tools/call", { name: "failure", arguments: { message: "No luck" } })).result).toEqual({
    content: [{ type: "text", text: "TypeError: No luck" }],
    isError: true,
  });
  const { result: interrupted } = await request("tools/call", { name: "approval", arguments: { request: "send" } });
  expect(interrupted).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("checkpointer") }] });
  expect((await agent.call("POST", "/threads/count", {})).body).toBe(0);
});

test("a call with a progress token streams each step, then the result", async () => {
  await using agent = await startAgent();
  const { send } = mcpOf(agent.call);
  const params = { name: "subgraph", arguments: { topic: "tea" }, _meta: { progressToken: "mine" } };
  const { status, headers, body } = await send({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
  expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const messages = parseEvents(body).map(({ data }) => data);
  const progress = messages.slice(0, -1).map(({ method, params }) => [method, params]);
  expect(progress.length).toBeGreaterThan(0);
  for (const [index, [method, params]] of progress.entries()) {
    expect(method).toBe("notifications/progress");
    expect(params).toEqual({ progressToken: "mine", progress: index + 1, message: expect.any(String) });
  }
  expect(messages.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { topic: "tea" } } });
});

test("a cancelled call ends its run, and so does a connection that closes", async () => {
  await using agent = await startAgent();
  const { send } = mcpOf(agent.call);
  const call = send(callOf(3, 60_000));
  await until(async () => (await running(agent)) === 1);
  expect((await send(cancellation(4))).status).toBe(202);
  expect(await running(agent)).toBe(1);
  expect((await send(cancellation(3))).status).toBe(202);
  expect((await call).body.result).toEqual({
    content: [{ type: "text", text: "The run was cancelled." }],
    isError: true,
  });
  expect(await running(agent)).toBe(0);

  for (const meta of [{}, { _meta: { progressToken: 1 } }]) {
    const closing = new AbortController();
    const request = callOf(5, 60_000);
    const left = fetch(`${agent.url}/mcp`, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify({ ...request, params: { ...request.params, ...meta } }),
      signal: closing.signal,
    }).then((response) => response.text());
    await until(async () => (await running(agent)) === 1);
    closing.abort();
    await expect(left).rejects.toThrow();
    await until(async () => (await running(agent)) === 0);
  }
  expect(agent.defects).toEqual([]);
});

test("a cancellation that could mean the calls of two clients has no effect", async () => {
  await using agent = await startAgent();
  const { send } = mcpOf(agent.call);
  const calls = [send(callOf(3, 60_000)), send(callOf(3, 60_000))];
  await until(async () => (await running(agent)) === 2);
  await send(cancellation(3));
  expect(await running(agent)).toBe(2);
  agent.clock.advance(60_000);
  for (const { body } of await Promise.all(calls)) expect(body.result.structuredContent.done).toBe(1);
});

test("a call acts as its caller, who sees and cancels nothing of others", async () => {
  await using agent = await startAgent({ projectOf: async () => guarded });
  const { request, send } = mcpOf(agent.call);
  expect((await send({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(401);
  const { result } = await request("tools/call", { name: "who" }, as("ann"));
  expect(result.structuredContent.seen.langgraph_auth_user_id).toBe("ann");
  expect(namesOf(await request("tools/list", {}, as("bob")))).toEqual(["who"]);
});

test("handlers that refuse or hide hold for tools, and their own failures aren't shown", async () => {
  const filters: Record<string, unknown> = { search: { team: "a" }, create_run: true };
  const auth = {
    admitsStudio: false,
    authenticate: async () => ({ identity: "ann", permissions: [], is_authenticated: true, display_name: "ann" }),
    async authorize({ action, value }: { action: string; value: Record<string, unknown> }) {
      const decision = filters[action];
      if (decision instanceof Error) throw decision;
      return { value, filter: typeof decision === "object" ? (decision as Record<string, string>) : null };
    },
  };
  await using agent = await startAgent({ auth: auth as never });
  const { request } = mcpOf(agent.call);
  expect(namesOf(await request("tools/list"))).toEqual([]);
  const hidden = await request("tools/call", { name: "delay" });
  expect(hidden.error).toEqual({ code: -32602, message: "Unknown tool: delay" });
  filters.search = null;
  filters.create_run = new HttpError(403, "Not for you");
  const refused = await request("tools/call", { name: "delay" });
  expect(refused.error).toEqual({ code: -32600, message: "Not for you" });
  filters.read = new HttpError(403, "Not for you");
  expect(namesOf(await request("tools/list"))).toEqual([]);
  filters.read = new Error("the secret is 42");
  const broken = await request("tools/list");
  expect(broken.error).toEqual({ code: -32603, message: "Internal Server Error" });
  expect(agent.defects.map(String)).toContain("Error: the secret is 42");
});
