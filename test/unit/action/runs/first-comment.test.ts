import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

test("the closing of a pull request that had no preview writes no first comment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const event = { name: "pull_request", ref: "refs/heads/main", payload: pullRequest("closed") };
  const { code, outputs, log } = await runAction({ event, inputs: agentInputs(mock), githubUrl: github.url });
  expect([code, outputs.result], log).toEqual([0, "deleted"]);
  expect(github.comments.size).toBe(0);
});
