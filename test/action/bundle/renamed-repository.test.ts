import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { agentInputs, makeDeployment, markedAs, writesOf } from "../../support/github/agents.ts";
import { runAction } from "../../support/github/run-action.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };

test("after a repository was renamed, its deployment is deployed to under the address that the platform has", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const oldUrl = "https://github.com/acme/old-agents";
  const source_config = {
    repo_url: oldUrl,
    integration_id: agentInputs(mock)["integration-id"],
    deployment_type: "dev",
  };
  await makeDeployment(mock, { source_config, ...markedAs("acme/old-agents#deploy") });
  const refused = await runAction({ event: push, inputs: agentInputs(mock) });
  expect(refused.outputs.result).toBe("failed");
  expect(refused.log).toMatch(/can't become the declared one.*sourceConfig\.repoUrl/);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
  const inputs = agentInputs(mock, { "repo-url": oldUrl });
  const { outputs, log } = await runAction({ event: push, inputs });
  expect(outputs.result, log).toBe("deployed");
  expect(log).toContain("is marked as managed by acme/old-agents#deploy");
});
