import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest, repository } from "../../../kit/action/events.ts";
import { agentInputs, deploymentsOf, makeDeployment, ownedBy, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import type { ActionEvent } from "../../../kit/github/step.ts";

const workflowRun = (head: string, event = "push"): ActionEvent => ({
  name: "workflow_run",
  ref: "refs/heads/main",
  payload: {
    action: "completed",
    workflow_run: { event, conclusion: "success", head_sha: "b".repeat(40), head_repository: { full_name: head } },
  },
});

const target = (action: string, head = repository): ActionEvent => ({
  name: "pull_request_target",
  ref: "refs/heads/main",
  payload: pullRequest(action, { head }),
});

const dispatch: ActionEvent = { name: "repository_dispatch", ref: "refs/heads/main", payload: { action: "deploy" } };

const deletion: ActionEvent = { name: "delete", ref: "refs/heads/main", payload: { ref: "main", ref_type: "branch" } };
const otherDeletion: ActionEvent = { ...deletion, payload: { ref: "feature/search", ref_type: "branch" } };

const release = (action: string): ActionEvent => ({
  name: "release",
  ref: "refs/tags/v1.0",
  payload: { action, release: { tag_name: "v1.0" } },
});

function comment(issue: object): ActionEvent {
  return {
    name: "issue_comment",
    ref: "refs/heads/main",
    payload: { action: "created", issue, comment: { body: "/go" } },
  };
}

type Outcome = [code: number, result: string, deployed: Record<string, string>];

test.each<[string, ActionEvent, Record<string, string>, Outcome]>([
  [
    "a workflow_run with a ref deploys it",
    workflowRun(repository),
    { ref: "main" },
    [0, "deployed", { agent: "main" }],
  ],
  ["a workflow_run without a ref is refused", workflowRun(repository), {}, [1, "failed", {}]],
  ["a workflow_run for a fork is skipped", workflowRun("mallory/agents"), { ref: "main" }, [0, "skipped", {}]],
  [
    "a workflow_run for a pull request is refused",
    workflowRun(repository, "pull_request"),
    { ref: "main" },
    [1, "failed", {}],
  ],
  ["a repository_dispatch deploys its branch", dispatch, {}, [0, "deployed", { agent: "main" }]],
  [
    "a pull_request_target of the repository itself makes a preview",
    target("opened"),
    {},
    [0, "deployed", { "agent-pr-12": "feature/search" }],
  ],
  ["a pull_request_target of a fork is skipped", target("labeled", "mallory/agents"), {}, [0, "skipped", {}]],
  [
    "a pull_request_target of a fork is skipped without a ref",
    target("labeled", "mallory/agents"),
    { operation: "preview" },
    [0, "skipped", {}],
  ],
  [
    "a pull_request_target of a fork deploys the ref that is chosen",
    target("labeled", "mallory/agents"),
    { operation: "preview", ref: "reviewed/12" },
    [0, "deployed", { "agent-pr-12": "reviewed/12" }],
  ],
  ["a deleted ref is skipped", deletion, {}, [0, "skipped", {}]],
  ["a published release deploys its tag", release("published"), {}, [0, "deployed", { agent: "refs/tags/v1.0" }]],
  ["a release that is edited is skipped", release("edited"), {}, [0, "skipped", {}]],
  ["a release that is released is skipped beside the published one", release("released"), {}, [0, "skipped", {}]],
  [
    "a release that is edited is skipped, with a deploy, too",
    release("edited"),
    { operation: "deploy" },
    [0, "skipped", {}],
  ],
])("%s", async (_, event, inputs, outcome) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const { code, outputs, log } = await runAction({
    event,
    inputs: agentInputs(mock, { name: "agent", ...inputs }),
    githubUrl: github.url,
  });
  const refs = (await deploymentsOf(mock)).map(
    (deployment: { name: string; source_revision_config: { repo_ref: string } }) => [
      deployment.name,
      deployment.source_revision_config.repo_ref,
    ],
  );
  expect([code, outputs.result, Object.fromEntries(refs)], log).toEqual(outcome);
});

test.each<[string, ActionEvent, string, Record<string, string>, string]>([
  ["a pull_request_target that closes deletes the preview", target("closed"), "agent-pr-12", {}, "pr-12"],
  [
    "a deleted ref deletes the deployment that came from it if the inputs say so",
    deletion,
    "agent",
    { operation: "delete" },
    "deploy",
  ],
])("%s", async (_, event, name, inputs, marker) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { name, ...ownedBy(`${repository}#${marker}`) });
  const { code, outputs, log } = await runAction({
    event,
    inputs: agentInputs(mock, { name: "agent", ...inputs }),
    githubUrl: github.url,
  });
  expect([code, outputs.result], log).toEqual([0, "deleted"]);
  expect(await deploymentsOf(mock)).toEqual([]);
});

test.each<[string, ActionEvent, number, string]>([
  ["the deletion of another branch leaves the deployment alone", otherDeletion, 0, "skipped"],
  ["a workflow_run can't tell what to delete", workflowRun(repository), 1, "failed"],
  ["an issue's comment can't tell what to delete", comment({ number: 12 }), 1, "failed"],
])("%s", async (_, event, code, result) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  await makeDeployment(mock, { name: "agent", ...ownedBy(`${repository}#deploy`) });
  const run = await runAction({
    event,
    inputs: agentInputs(mock, { name: "agent", operation: "delete" }),
    githubUrl: github.url,
  });
  expect([run.code, run.outputs.result], run.log).toEqual([code, result]);
  expect(writesOf(mock)).toEqual(["POST /v2/deployments 201"]);
});
