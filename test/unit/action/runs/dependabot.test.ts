import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, deploymentsOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

const dependabot = { login: "dependabot[bot]", type: "Bot" };
const withoutKey = { name: "agent", secrets: '{"OPENAI_API_KEY": ""}', "graph-config-path": "graph.json" };

function event(name: string, action = "opened", payload: object = {}): ActionEvent {
  const pull = pullRequest(action, { headRef: "dependabot/npm/zod-4" });
  return {
    name,
    ref: name === "push" ? "refs/heads/dependabot/npm/zod-4" : "refs/pull/12/merge",
    payload: { ...(name === "push" ? { deleted: false } : pull), ...payload },
  };
}

const startedByDependabot = { GITHUB_ACTOR: "dependabot[bot]" };
const pullOfDependabot = {
  pull_request: { ...(pullRequest("opened").pull_request as Record<string, unknown>), user: dependabot },
};

test.each<[string, ActionEvent, Record<string, string>]>([
  ["a pull request", event("pull_request"), startedByDependabot],
  ["a pull request that is closed", event("pull_request", "closed"), startedByDependabot],
  ["a push", event("push"), startedByDependabot],
  [
    "a run that somebody else runs again",
    event("pull_request"),
    { ...startedByDependabot, GITHUB_TRIGGERING_ACTOR: "octocat" },
  ],
  [
    "a run that an older server names after whoever runs it again",
    event("pull_request", "opened", { sender: dependabot }),
    { GITHUB_ACTOR: "octocat" },
  ],
  [
    "a pull_request_target of Dependabot's pull request",
    event("pull_request_target", "labeled", pullOfDependabot),
    { GITHUB_ACTOR: "octocat" },
  ],
])("%s of Dependabot without a key is skipped, and the notice names Dependabot's own store", async (_, event, env) => {
  const { code, outputs, log } = await runAction({ event, inputs: withoutKey, env });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(log).toContain("Settings > Secrets and variables > Dependabot");
});

test.each<[string, ActionEvent, Record<string, string>]>([
  ["a pull request of somebody else", event("pull_request"), { GITHUB_ACTOR: "octocat" }],
  ["an event on which Dependabot's runs get all secrets", event("workflow_dispatch"), startedByDependabot],
])("%s without a key still fails", async (_, event, env) => {
  const { code, log } = await runAction({ event: { ...event, ref: "refs/heads/main" }, inputs: withoutKey, env });
  expect(code).toBe(1);
  expect(log).toContain("No API key");
});

test("a pull request of Dependabot with a key gets its preview as any other", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const run = (action: string) =>
    runAction({
      event: event("pull_request", action),
      inputs: agentInputs(mock, { name: "agent" }),
      githubUrl: github.url,
      env: startedByDependabot,
    });
  const opened = await run("opened");
  expect([opened.code, opened.outputs.result], opened.log).toEqual([0, "deployed"]);
  github.closedPullRequests.add(12);
  const closed = await run("closed");
  expect([closed.code, closed.outputs.result], closed.log).toEqual([0, "deleted"]);
  expect(await deploymentsOf(mock)).toEqual([]);
});

test("a key of Dependabot's that is wrong is an error, not a skip", async () => {
  await using mock = await startMockServer({ port: 0 });
  const inputs = agentInputs(mock, { name: "agent", "api-key": "two words" });
  const { code } = await runAction({ event: event("pull_request"), inputs, env: startedByDependabot });
  expect(code).toBe(1);
});
