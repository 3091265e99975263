import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { startProject } from "../../kit/agent-server/compiled/project.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("with auth handlers, users need no workspace key, but the developer interface does", async () => {
  const worker = await startProject("guarded");
  const agentServer = createGraphAgentServer({ projectOf: async () => worker });
  await using mock = await startForTest({ apiKeys: { alpha: ["one"], beta: ["two"] } }, { agentServer });
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody(), { "x-api-key": "alpha" });
  const agent = apiOf(body.source_config.custom_url);
  const ask = async (headers: Record<string, string>) =>
    (await agent("POST", "/threads", {}, { "x-api-key": "", ...headers })).status;
  expect(await ask({ authorization: "Bearer ann" })).toBe(200);
  expect(await ask({ "x-api-key": "alpha" })).toBe(401);
  const studio = { "x-auth-scheme": "langsmith" };
  expect(await ask(studio)).toBe(401);
  expect(await ask({ ...studio, "x-api-key": "gamma" })).toBe(401);
  expect(await ask({ ...studio, "x-api-key": "beta" })).toBe(403);
  expect(await ask({ ...studio, "x-api-key": "alpha" })).toBe(200);
  await worker.close();
});
