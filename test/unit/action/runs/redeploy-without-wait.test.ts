import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { agentInputs, makeDeployment } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

test("a redeployment without wait ends once the rollout has started", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await makeDeployment(mock);
  const { code, outputs, log } = await runAction({
    event: { name: "workflow_dispatch", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { operation: "redeploy", wait: "false", timeout: "5s" }),
  });
  expect([code, outputs.result], log).toEqual([0, "started"]);
  expect(outputs["revision-id"]).toBeTruthy();
});
