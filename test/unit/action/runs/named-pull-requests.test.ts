import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { headSha, pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, deploymentsOf, makeDeployment, ownedBy, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import { type ActionEvent, token } from "../../../kit/github/step.ts";

const comment: ActionEvent = {
  name: "issue_comment",
  ref: "refs/heads/main",
  payload: {
    action: "created",
    issue: { number: 12, state: "open", pull_request: { url: "https://api.github.com/repos/acme/agents/pulls/12" } },
    comment: { body: "/preview" },
    sender: { login: "octocat", type: "User" },
  },
};
const dispatch: ActionEvent = { name: "workflow_dispatch", ref: "refs/heads/main", payload: { inputs: {} } };

/** A GitHub with pull request #12, by default of this repository. */
async function startGitHub(head: string | null = "acme/agents"): Promise<FakeGitHub> {
  const github = await FakeGitHub.start();
  github.pullRequests.set(12, pullRequest("", { head }).pull_request as Record<string, unknown>);
  return github;
}

test.each<[string, ActionEvent, Record<string, string>]>([
  ["a comment on it", comment, { operation: "preview" }],
  ["its number", dispatch, { operation: "preview", "pull-request": "12" }],
  ["its number alone", dispatch, { "pull-request": "12" }],
])("a preview of the pull request named by %s is created from its head, and deleted", async (_, event, inputs) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await startGitHub();
  await makeDeployment(mock, { name: "support-agent", ...ownedBy("acme/agents#deploy") });
  const made = await runAction({ event, inputs: agentInputs(mock, inputs), githubUrl: github.url });
  expect([made.code, made.outputs.result, made.outputs.name], made.log).toEqual([0, "deployed", "support-agent-pr-12"]);
  const preview = (await deploymentsOf(mock)).find((entry: { name: string }) => entry.name === "support-agent-pr-12");
  expect(preview.source_revision_config.repo_ref).toBe("feature/search");
  expect(made.summary).toContain(headSha);
  expect(github.comments.get(12)).toHaveLength(1);

  const deleted = await runAction({
    event,
    inputs: agentInputs(mock, { ...inputs, operation: "delete" }),
    githubUrl: github.url,
  });
  expect([deleted.code, deleted.outputs.result], deleted.log).toEqual([0, "deleted"]);
  expect((await deploymentsOf(mock)).map(({ name }: { name: string }) => name)).toEqual(["support-agent"]);
});

test.each<[string, string | null, boolean]>([
  ["from a fork", "mallory/agents", false],
  ["from a fork that was deleted", null, false],
  ["that is closed", "acme/agents", true],
])("a comment on a pull request %s is skipped", async (_, head, isClosed) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await startGitHub(head);
  if (isClosed) github.closedPullRequests.add(12);
  const inputs = agentInputs(mock, { operation: "preview" });
  const { code, outputs, log } = await runAction({ event: comment, inputs, githubUrl: github.url });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(writesOf(mock)).toEqual([]);
});

test("a pull request that can't be looked up is an error that says why, reported together with other problems", async () => {
  await using mock = await startMockServer({ port: 0 });
  await using github = await startGitHub();
  github.refused.add("pulls");
  const inputs = agentInputs(mock, { operation: "preview", timeout: "soon" });
  const refused = await runAction({ event: comment, inputs, githubUrl: github.url });
  expect([refused.code, refused.outputs.result]).toEqual([1, "failed"]);
  expect(refused.log).toContain("pull-request: #12 couldn't be looked up");
  expect(refused.log).toContain("pull-requests: read");
  expect(refused.log).toContain("timeout: ");

  const withoutToken = await runAction({
    event: dispatch,
    inputs: { ...inputs, "pull-request": "12", "github-token": "" },
  });
  expect(withoutToken.code).toBe(1);
  expect(withoutToken.log).toContain("github-token: is needed to look up pull request #12.");
  expect(mock.requests()).toEqual([]);
});

test("a pull request isn't looked up where there is no API key", async () => {
  await using github = await startGitHub();
  const inputs = { name: "support-agent", operation: "preview", "on-missing-credentials": "skip" };
  const { code, outputs, log } = await runAction({ event: comment, inputs, githubUrl: github.url });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(github.calls).toEqual([]);
});

test.each(["0", "-1", "1.5", "#12", "twelve", "99999999999999999999"])(
  "the input pull-request refuses %s",
  async (number) => {
    await using mock = await startMockServer({ port: 0 });
    const inputs = agentInputs(mock, { operation: "preview", "pull-request": number });
    const { code, log } = await runAction({ event: dispatch, inputs });
    expect(code).toBe(1);
    expect(log).not.toContain("give its number");
    expect(log).toContain(`pull-request: is ${JSON.stringify(number)}, which is not the number of a pull request.`);
    expect(mock.requests()).toEqual([]);
  },
);

test("the look-up uses the token and doesn't leak it", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await startGitHub();
  const inputs = agentInputs(mock, { operation: "preview" });
  const { everything } = await runAction({ event: comment, inputs, githubUrl: github.url });
  const reads = github.calls.filter(({ method }) => method === "GET").slice(0, 2);
  expect(reads.map(({ path }) => path)).toEqual([
    "/repos/acme/agents/collaborators/octocat/permission",
    "/repos/acme/agents/pulls/12",
  ]);
  for (const { authorization } of reads) expect(authorization).toContain(token);
  expect(everything).not.toContain(token);
});
