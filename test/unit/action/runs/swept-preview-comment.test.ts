import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, makeDeployment, ownedBy } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

test("a sweep says in the comment that the preview is gone, and writes none where there was none", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const opened = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
  await runAction({ event: opened, inputs: agentInputs(mock), githubUrl: github.url });
  expect(github.comments.get(12)?.[0]?.body).toContain("✅ is live");
  await makeDeployment(mock, { name: "support-agent-pr-13", ...ownedBy("acme/agents#pr-13") });
  for (const number of [12, 13]) github.closedPullRequests.add(number);
  const { outputs, log } = await runAction({
    event: { name: "schedule", ref: "refs/heads/main" },
    inputs: agentInputs(mock, { operation: "sweep" }),
    githubUrl: github.url,
  });
  expect(outputs.result, log).toBe("deleted");
  expect(github.comments.get(12)).toHaveLength(1);
  expect(github.comments.get(12)?.[0]?.body).toContain("🗑️ was deleted");
  expect(github.comments.get(13)).toBeUndefined();
});
