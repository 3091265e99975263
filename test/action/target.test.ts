import { expect, test } from "vitest";
import type { WorkflowEvent } from "../../action/event.ts";
import { type Target, type TargetInputs, targetOf } from "../../action/target.ts";
import { headSha, mergeSha, pullRequest, someEvent } from "./events.ts";

const given = "b".repeat(40);

type Row = [what: string, event: Partial<WorkflowEvent>, inputs: Partial<TargetInputs>, target: object];

function decide(event: Partial<WorkflowEvent>, inputs: Partial<TargetInputs> = {}): Target {
  return targetOf(someEvent(event), { operation: "auto", needsRef: true, ...inputs });
}

function deploys(ref: string | undefined, commit: string | undefined, isPush = false) {
  return { kind: "deploy", source: { ref, commit, isPush } };
}

test.each<Row>([
  ["a push to a branch", {}, {}, deploys("main", mergeSha, true)],
  ["a push to a branch with slashes", { ref: "refs/heads/team/a/b" }, {}, deploys("team/a/b", mergeSha, true)],
  ["a push to a branch in unicode", { ref: "refs/heads/größe-日本" }, {}, deploys("größe-日本", mergeSha, true)],
  ["a push to a branch named like a tag", { ref: "refs/heads/v1.0" }, {}, deploys("v1.0", mergeSha, true)],
  [
    "a push to a branch named like a full ref",
    { ref: "refs/heads/refs/tags/v1" },
    {},
    deploys("refs/tags/v1", mergeSha),
  ],
  ["a push of the tag of that name", { ref: "refs/tags/v1.0" }, {}, deploys("refs/tags/v1.0", mergeSha)],
  ["a push of a tag with +", { ref: "refs/tags/v1.0.0+build.5" }, {}, deploys("refs/tags/v1.0.0+build.5", mergeSha)],
  [
    "a release",
    { name: "release", ref: "refs/tags/x", payload: { release: { tag_name: "v2/rc+1" } } },
    {},
    deploys("refs/tags/v2/rc+1", mergeSha),
  ],
  ["a release without a tag", { name: "release", payload: { release: {} } }, {}, { kind: "refuse", input: "ref" }],
  ["a dispatch on a branch", { name: "workflow_dispatch" }, {}, deploys("main", mergeSha)],
  [
    "a dispatch on a tag",
    { name: "workflow_dispatch", ref: "refs/tags/main" },
    {},
    deploys("refs/tags/main", mergeSha),
  ],
  ["a schedule", { name: "schedule" }, {}, deploys("main", mergeSha)],
  ["a schedule that sweeps", { name: "schedule" }, { operation: "sweep" }, { kind: "sweep" }],
  ["a dispatch from outside", { name: "repository_dispatch" }, {}, deploys("main", mergeSha)],
  ["the input ref", {}, { ref: "next" }, deploys("next", undefined)],
  ["the input ref that is the event's own", {}, { ref: "refs/heads/main" }, deploys("main", mergeSha, true)],
  [
    "the inputs ref and sha",
    { name: "workflow_dispatch" },
    { ref: "refs/tags/v3", sha: given },
    deploys("refs/tags/v3", given),
  ],
  ["the input sha alone", {}, { sha: given }, deploys("main", given, true)],
  ["an image on a tag", { ref: "refs/tags/v1" }, { needsRef: false }, deploys("refs/tags/v1", mergeSha)],
  ["a merge group", { name: "merge_group", ref: "refs/heads/gh-readonly-queue/main/pr-1" }, {}, { kind: "skip" }],
  ["a push that deletes a branch", { payload: { deleted: true } }, {}, { kind: "skip" }],
  ["the deletion of a ref", { name: "delete" }, {}, { kind: "skip" }],
  ["an event that says nothing", { name: "issue_comment" }, {}, { kind: "refuse", input: "operation" }],
  ["such an event with an operation", { name: "issue_comment" }, { operation: "deploy" }, deploys("main", mergeSha)],
  ["no event at all", { name: "", ref: "" }, {}, { kind: "refuse", input: "operation" }],
  [
    "a ref of a pull request without its event",
    { name: "workflow_dispatch", ref: "refs/pull/1/merge" },
    {},
    { kind: "refuse", input: "ref" },
  ],
  ["a preview without a pull request", {}, { operation: "preview" }, { kind: "refuse", input: "operation" }],
  ["a deletion", { name: "workflow_dispatch" }, { operation: "delete" }, { kind: "delete" }],
  ["a redeployment", { name: "workflow_dispatch" }, { operation: "redeploy" }, { kind: "redeploy" }],
  [
    "a plan on a push",
    {},
    { operation: "plan" },
    { kind: "plan", source: { ref: "main", commit: mergeSha, isPush: true } },
  ],
])("%s is decided by the full ref", (_, event, inputs, target) => {
  expect(decide(event, inputs)).toMatchObject(target);
});

const preview = { kind: "preview", pullRequest: 12, source: { ref: "feature/search", commit: headSha, isPush: true } };
const fork = { head: "mallory/agents" };

test.each<Row>([
  ["opened", { payload: pullRequest("opened") }, {}, preview],
  ["given new commits", { payload: pullRequest("synchronize") }, {}, preview],
  ["reopened", { payload: pullRequest("reopened") }, {}, preview],
  ["in other letters", { payload: pullRequest("opened", { head: "Acme/Agents" }) }, {}, preview],
  [
    "from a branch named like the production branch",
    { payload: pullRequest("opened", { headRef: "main" }) },
    {},
    { kind: "preview", source: { ref: "main" } },
  ],
  ["from a fork", { payload: pullRequest("opened", fork) }, {}, { kind: "skip" }],
  ["from a fork that was deleted", { payload: pullRequest("opened", { head: null }) }, {}, { kind: "skip" }],
  [
    "from a fork, with a ref",
    { payload: pullRequest("opened", fork) },
    { operation: "preview", ref: "x" },
    { kind: "skip" },
  ],
  ["closed", { payload: pullRequest("closed") }, {}, { kind: "delete-preview", pullRequest: 12, isFork: false }],
  [
    "closed with its fork deleted",
    { payload: pullRequest("closed", { head: null }) },
    {},
    { kind: "delete-preview", pullRequest: 12, isFork: true },
  ],
  ["closed, with a deploy", { payload: pullRequest("closed") }, { operation: "deploy", ref: "main" }, { kind: "skip" }],
  [
    "open, with a deletion",
    { payload: pullRequest("unlabeled") },
    { operation: "delete" },
    { kind: "delete-preview", pullRequest: 12 },
  ],
  [
    "open, with a deploy",
    { payload: pullRequest("opened") },
    { operation: "deploy" },
    { kind: "refuse", input: "operation" },
  ],
  [
    "open, with a deploy of a ref",
    { payload: pullRequest("opened") },
    { operation: "deploy", ref: "next" },
    deploys("next", undefined),
  ],
  [
    "open, with a plan",
    { payload: pullRequest("opened") },
    { operation: "plan" },
    { kind: "plan", pullRequest: 12, source: { ref: "main", commit: undefined } },
  ],
  [
    "without a number",
    { payload: { action: "opened", pull_request: null } },
    {},
    { kind: "refuse", input: "operation" },
  ],
])("a pull request %s never reaches the deployment itself by accident", (_, event, inputs, target) => {
  expect(decide({ name: "pull_request", ref: "refs/pull/12/merge", ...event }, inputs)).toMatchObject(target);
});

test.each<Row>([
  ["of the same repository", { payload: pullRequest("opened") }, {}, preview],
  ["of a fork", { payload: pullRequest("opened", fork) }, {}, { kind: "skip" }],
  ["of a fork with a ref alone", { payload: pullRequest("opened", fork) }, { ref: "x" }, { kind: "skip" }],
  [
    "of a fork that is chosen on purpose",
    { payload: pullRequest("labeled", fork) },
    { operation: "preview", ref: "checked" },
    { kind: "preview", source: { ref: "checked", commit: undefined } },
  ],
  ["of a closed fork", { payload: pullRequest("closed", fork) }, {}, { kind: "delete-preview", isFork: true }],
])("a pull_request_target event %s builds no fork unless it is told to", (_, event, inputs, target) => {
  expect(decide({ name: "pull_request_target", ...event }, inputs)).toMatchObject(target);
});

function workflowRun(event: string, head = "acme/agents") {
  return { workflow_run: { event, head_sha: headSha, head_branch: "main", head_repository: { full_name: head } } };
}

test.each<Row>([
  ["needs a ref", { payload: workflowRun("push") }, {}, { kind: "refuse", input: "ref" }],
  [
    "deploys its ref at the commit that it ran for",
    { payload: workflowRun("push") },
    { ref: "main" },
    deploys("main", headSha),
  ],
  ["of a fork is skipped", { payload: workflowRun("push", "mallory/agents") }, { ref: "main" }, { kind: "skip" }],
  [
    "of a pull request needs an operation",
    { payload: workflowRun("pull_request") },
    { ref: "main" },
    { kind: "refuse", input: "operation" },
  ],
  [
    "without a repository is skipped",
    { payload: { workflow_run: { event: "push", head_repository: null } } },
    { ref: "main" },
    { kind: "skip" },
  ],
])("a workflow_run %s", (_, event, inputs, target) => {
  expect(decide({ name: "workflow_run", ...event }, inputs)).toMatchObject(target);
});

test("a refusal says what to do", () => {
  expect(decide({ name: "pull_request", payload: pullRequest("opened") }, { operation: "deploy" })).toMatchObject({
    reason:
      '"deploy" on a pull request would bring unmerged code to the deployment itself: use "preview" or "plan", or name the ref.',
  });
});
