import { afterAll, expect, test } from "vitest";
import { createGraphAgentServer } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import { thread } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";
import { apiOf, githubBody, startForTest } from "../../../kit/mock-server/api.ts";

const open = await startProject("surroundings");
const lines: string[] = [];
const key = "sk-that-the-client-finds-itself";
const guarded = await startProject("surroundings", {
  config: "guarded.json",
  env: { LANGSMITH_API_KEY: key },
  onLog: ({ text }) => lines.push(text),
});
afterAll(() => Promise.all([open.close(), guarded.close()]));

const callFor = (what: string) => ({ assistant_id: "caller", input: { what } });

test("a client without an address reaches the server that runs the graph", async () => {
  await using agent = await startAgentOf(open);
  const seen = async (what: string) => (await agent.call("POST", "/runs/wait", callFor(what))).body.seen;
  expect(await seen("run")).toMatchObject({ seen: { heard: "from a node", user: null } });
  expect(await seen("stream")).toEqual(["metadata", "values", "values"]);
  expect(await seen("deleted")).toBe(404);
});

test("fetch reaches the server that runs the graph, and a WebSocket to it fails immediately with advice", async () => {
  await using agent = await startAgentOf(open);
  const result = async (what: string) => (await agent.call("POST", "/runs/wait", callFor(what))).body;
  expect((await result("fetch")).seen).toEqual({ ok: true });
  expect((await result("fetch request")).seen).toEqual({ ok: true });
  expect((await result("web socket")).__error__).toEqual({
    error: "TypeError",
    message: expect.stringContaining("streams over HTTP"),
  });
});

test("a client without an address reaches its server under a path without a key", async () => {
  const agentServer = createGraphAgentServer({ projectOf: async () => open });
  await using mock = await startForTest({ apiKeys: { alpha: ["one"] } }, { agentServer });
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody(), { "x-api-key": "alpha" });
  const agent = apiOf(body.source_config.custom_url);
  const run = await agent("POST", "/runs/wait", callFor("run"), { "x-api-key": "alpha" });
  expect(run.body.seen).toMatchObject({ seen: { heard: "from a node" } });
  const mine = await agent("GET", "/threads-of-mine", undefined, { "x-api-key": "alpha" });
  expect(mine).toMatchObject({ status: 200, body: [] });
});

test("nodes and the app act with their caller's rights", async () => {
  await using agent = await startAgentOf(guarded);
  const as = (name: string) => ({ authorization: `Bearer ${name}` });
  for (const name of ["ann", "bob", "bob"]) await agent.call("POST", "/threads", { metadata: { of: name } }, as(name));
  const seen = async (what: string) => (await agent.call("POST", "/runs/wait", callFor(what), as("ann"))).body.seen;
  // Ann also owns the thread of the run itself.
  expect(await seen("threads")).toEqual([expect.objectContaining({ owner: "ann" }), { of: "ann", owner: "ann" }]);
  expect(await seen("run")).toMatchObject({ seen: { user: "ann" } });
  expect(await seen("studio")).toBe(2);
  expect(await seen("bearer")).toMatchObject({ user: "bob" });
  const mine = await agent.call("GET", "/threads-of-mine", undefined, as("bob"));
  expect(mine.body).toHaveLength(2);
});

test("an auth handler that calls its own server fails immediately, and no log contains a key", async () => {
  await using agent = await startAgentOf(guarded);
  const looping = await agent.call("POST", "/threads/search", {}, { authorization: "Bearer looping" });
  expect(looping.status).toBe(500);
  expect(lines.join("\n")).toContain("auth handler");
  expect(lines.join("\n")).not.toContain(key);
});

test("using a graph of the same server as a node on the same thread fails immediately, and the thread stays with the outer graph", async () => {
  await using agent = await startAgentOf(open);
  const body = { assistant_id: "remote", input: { what: "a" }, if_not_exists: "create" };
  const failed = await agent.call("POST", `/threads/${thread(1)}/runs/wait`, body);
  expect(failed.body.__error__.message).toMatch(/^HTTP 409: .*would wait for itself/);
  const { metadata, status } = (await agent.call("GET", `/threads/${thread(1)}`)).body;
  expect({ graph: metadata.graph_id, status }).toEqual({ graph: "remote", status: "error" });
});

test("a thread belongs to its running graph while a run of another graph waits", async () => {
  await using agent = await startAgentOf(open);
  const path = `/threads/${thread(1)}`;
  const first = { assistant_id: "patient", input: {}, if_not_exists: "create" };
  const { run_id: runId } = (await agent.call("POST", `${path}/runs`, first)).body;
  const waiting = (await agent.call("POST", `${path}/runs`, { assistant_id: "target", input: { what: "b" } })).body;
  const graph = async () => (await agent.call("GET", path)).body.metadata.graph_id;
  expect(await graph()).toBe("patient");
  await agent.call("POST", `${path}/runs/${runId}/cancel?wait=true`);
  await agent.call("GET", `${path}/runs/${waiting.run_id}/join`);
  expect(await graph()).toBe("target");
});
