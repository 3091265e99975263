import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs, makeDeployment, ownedBy, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

const push = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };

test("after a repository was renamed, its deployment is adopted once, under the address that the platform has", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const oldUrl = "https://github.com/acme/old-agents";
  const source_config = {
    repo_url: oldUrl,
    integration_id: agentInputs(mock)["integration-id"],
    deployment_type: "dev",
  };
  await makeDeployment(mock, { source_config, ...ownedBy("acme/old-agents#deploy") });
  for (const given of [{}, { "repo-url": oldUrl }] as Record<string, string>[]) {
    const refused = await runAction({ event: push, inputs: agentInputs(mock, given) });
    expect(refused.outputs.result).toBe("failed");
    expect(refused.log).toContain("is owned by acme/old-agents#deploy, not by acme/agents#deploy.");
  }
  const elsewhere = await runAction({ event: push, inputs: agentInputs(mock, { adopt: "true" }) });
  expect(elsewhere.log).toMatch(/can't become the declared one: repo-url is/);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
  for (const adopt of ["true", "false"]) {
    const { outputs, log } = await runAction({ event: push, inputs: agentInputs(mock, { "repo-url": oldUrl, adopt }) });
    expect(outputs.result, log).toBe("deployed");
  }
});
