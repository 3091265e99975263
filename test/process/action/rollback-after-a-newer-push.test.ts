import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { agentInputs, ask, deploymentsOf, makeDeployment } from "../../kit/github/agents.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";

test("a failed rollout isn't rolled back over a newer revision", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { id } = await makeDeployment(mock);
  await expect.poll(async () => (await deploymentsOf(mock))[0].active_revision_id).toBeTruthy();
  mock.transitions.set({
    rules: [
      { name: "*", fail: "DEPLOY_FAILED", times: 1 },
      { name: "*", mode: "manual" },
    ],
  });
  let newer: Promise<{ latest_revision_id: string }> | undefined;
  const { log, outputs } = await runBundle({
    event: { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) },
    inputs: agentInputs(mock, { "on-failure": "rollback" }),
    onOutput: (soFar, child) => {
      if (newer !== undefined || !soFar.includes("Following revision")) return;
      // Paused until its revision has failed and the next one exists.
      child.kill("SIGSTOP");
      const revisionId = /Following revision ([0-9a-f-]{36})/.exec(soFar)?.[1];
      newer = expect
        .poll(async () => (await ask(mock, "GET", `/v2/deployments/${id}/revisions/${revisionId}`)).status)
        .toBe("DEPLOY_FAILED")
        .then(() =>
          ask(mock, "PATCH", `/v2/deployments/${id}`, {
            source_revision_config: { repo_ref: "newer", graph_config_path: "graph.json" },
          }),
        )
        .finally(() => child.kill("SIGCONT"));
    },
  });
  const latest = (await newer)?.latest_revision_id;
  expect(outputs, log).toMatchObject({ result: "failed", status: "DEPLOY_FAILED" });
  expect(log).toContain(`Revision ${latest} was started in the meantime`);
  expect((await deploymentsOf(mock))[0].latest_revision_id).toBe(latest);
});
