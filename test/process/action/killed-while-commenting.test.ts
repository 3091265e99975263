import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { pullRequest } from "../../kit/action/events.ts";
import { agentInputs } from "../../kit/github/agents.ts";
import { runAction } from "../../kit/github/run-action.ts";
import { FakeGitHub } from "../../kit/github/server.ts";

test("a kill while the comment is written doesn't change the GitHub deployment of a live revision", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  let kill = () => {};
  github.onCall = ({ path }) => {
    if (path.includes("/comments")) kill();
  };
  const { log, postLog } = await runAction({
    event: { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") },
    inputs: agentInputs(mock, { "github-environment": "{name}" }),
    githubUrl: github.url,
    onOutput: (_, child) => {
      kill = () => child.kill("SIGKILL");
    },
  });
  expect(
    github.deployments[0]?.states.map(({ state }) => state),
    log,
  ).toEqual(["in_progress", "success"]);
  expect(postLog).toBe("");
});
