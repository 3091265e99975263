import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, deploymentsOf, makeDeployment, ownedBy } from "../../../kit/github/agents.ts";
import { startMaskingPlatform } from "../../../kit/github/masking-platform.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

const schedule = { name: "schedule", ref: "refs/heads/main" };

async function ground() {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  const platform = await startMaskingPlatform(mock.url);
  const github = await FakeGitHub.start();
  const run = (event: Parameters<typeof runAction>[0]["event"], inputs: Record<string, string> = {}) =>
    runAction({ event, inputs: agentInputs(mock, { "base-url": platform.url, ...inputs }), githubUrl: github.url });
  const names = async () => (await deploymentsOf(mock)).map(({ name }: { name: string }) => name).sort();
  return {
    mock,
    github,
    run,
    names,
    async [Symbol.asyncDispose]() {
      for (const part of [github, platform, mock]) await part[Symbol.asyncDispose]();
    },
  };
}

const pullRequestEvent = (action: string, number: number) => ({
  name: "pull_request",
  ref: `refs/pull/${number}/merge`,
  payload: pullRequest(action, { number }),
});

test("where values are masked, a deployment of production with a preview's name is neither changed nor deleted", async () => {
  await using place = await ground();
  const { mock, github, run, names } = place;
  await makeDeployment(mock, { name: "support-agent-pr-2", ...ownedBy("acme/agents#deploy") });
  github.closedPullRequests.add(2);
  const swept = await run(schedule, { operation: "sweep" });
  expect([swept.outputs.result, await names()], swept.log).toEqual(["skipped", ["support-agent-pr-2"]]);
  const closed = await run(pullRequestEvent("closed", 2));
  expect([closed.outputs.result, await names()], closed.log).toEqual(["skipped", ["support-agent-pr-2"]]);
  expect(closed.log).toContain("GRAPHDEPLOY_PREVIEW_PR_2");
  github.closedPullRequests.clear();
  const opened = await run(pullRequestEvent("opened", 2));
  expect([opened.code, opened.outputs.result], opened.log).toEqual([1, "failed"]);
  expect(mock.requests({ method: "PATCH" })).toEqual([]);
});

test("where values are masked, a preview is recognized by the name of its marker entry", async () => {
  await using place = await ground();
  const { mock, github, run, names } = place;
  for (const number of [3, 4]) {
    const opened = await run(pullRequestEvent("opened", number));
    expect(opened.outputs.result, opened.log).toBe("deployed");
  }
  const updated = await run(pullRequestEvent("synchronize", 3), { env: "COLOUR=blue" });
  expect(updated.outputs, updated.log).toMatchObject({ result: "deployed", created: "false" });
  const [preview] = (await deploymentsOf(mock)).filter(({ name }: { name: string }) => name === "support-agent-pr-3");
  expect(preview.secrets.map(({ name }: { name: string }) => name).sort()).toEqual([
    "COLOUR",
    "GRAPHDEPLOY_MANAGED_BY",
    "GRAPHDEPLOY_PREVIEW_PR_3",
  ]);
  for (const number of [3, 4]) github.closedPullRequests.add(number);
  const closed = await run(pullRequestEvent("closed", 3));
  expect(closed.outputs.result, closed.log).toBe("deleted");
  const swept = await run(schedule, { operation: "sweep" });
  expect([swept.outputs.result, await names()], swept.log).toEqual(["deleted", []]);
});

test("a preview with only the older marker gets the other one with its next environment", async () => {
  await using place = await ground();
  const { mock, run } = place;
  await makeDeployment(mock, { name: "support-agent-pr-5", ...ownedBy("acme/agents#pr-5") });
  const updated = await run(pullRequestEvent("synchronize", 5), { "base-url": mock.url, env: "COLOUR=blue" });
  expect(updated.outputs.result, updated.log).toBe("deployed");
  const [{ secrets }] = await deploymentsOf(mock);
  expect(secrets).toContainEqual({ name: "GRAPHDEPLOY_PREVIEW_PR_5", value: "true" });
});
