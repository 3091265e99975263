import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import { localAgent, startDevServer } from "../../../../mock-server/dev-server.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";
import { apiOf } from "../../../kit/mock-server/api.ts";

const config = "contexts.json";

test("an environment variable sets the config of default assistants", async () => {
  await using worker = await startProject("surroundings", { config });
  await using agent = await startAgentOf(worker);
  const run = async (id: string) => (await agent.call("POST", "/runs/wait", { assistant_id: id, input: {} })).body.seen;
  expect(await run("typed")).toEqual({ context: { model: "a" }, x: 1 });
  expect(await run("plain")).toEqual({ context: {} });
  const assistant = (await agent.call("GET", "/assistants/typed")).body;
  expect(assistant).toMatchObject({ context: { model: "a" }, config: { configurable: { x: 1 } } });
});

test("a revision with another value recreates them, unless they were modified", async () => {
  await using before = await startProject("surroundings", { config });
  const other = JSON.stringify({ typed: { context: { model: "b" } }, plain: { context: { model: "b" } } });
  await using after = await startProject("surroundings", { config, env: { LANGGRAPH_CONFIG: other } });
  const agent = { ...localAgent };
  const agentServer = createGraphAgentServer({
    projectOf: async ({ revisionId }) => (revisionId === localAgent.revisionId ? before : after),
  });
  await using dev = await startDevServer(0, "127.0.0.1", agentServer, agent);
  const call = apiOf(dev.url);
  await call("PATCH", "/assistants/plain", { context: { model: "mine" } });
  agent.revisionId = "00000000-0000-4000-8000-000000000004";
  const model = async (id: string) => (await call("GET", `/assistants/${id}`)).body.context.model;
  expect([await model("typed"), await model("plain")]).toEqual(["b", "mine"]);
});

test("an invalid variable fails the load, without its value in the message", async () => {
  const start = (value: string) => startProject("surroundings", { config, env: { LANGGRAPH_CONFIG: value } });
  await expect(start("{secret")).rejects.toThrow(/^The environment variable LANGGRAPH_CONFIG isn't JSON\.$/);
  await expect(start('{"typed":{"context":"secret"}}')).rejects.toThrow(/isn't at typed\.context\.$/);
});

test("a context that is declared with types has them in its schema", async () => {
  await using worker = await startProject("surroundings", { config });
  await using agent = await startAgentOf(worker);
  const { context_schema: schema } = (await agent.call("GET", "/assistants/typed/schemas")).body;
  expect(schema.properties).toEqual({ model: { type: "string", enum: ["a", "b"] }, depth: { type: "number" } });
});
