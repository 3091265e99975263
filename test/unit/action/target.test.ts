import { expect, test } from "vitest";
import type { WorkflowEvent } from "../../../action/event.ts";
import { targetOf } from "../../../action/event-target.ts";
import type { Target, TargetInputs } from "../../../action/target.ts";
import { headSha, mergeSha, pullRequest, repository, someEvent } from "../../kit/action/events.ts";

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
    { name: "release", ref: "refs/tags/x", payload: { action: "published", release: { tag_name: "v2/rc+1" } } },
    {},
    deploys("refs/tags/v2/rc+1", mergeSha),
  ],
  [
    "a release without a tag",
    { name: "release", payload: { action: "published", release: {} } },
    {},
    { kind: "refuse", input: "ref" },
  ],
  [
    "an edit of a release's notes",
    { name: "release", payload: { action: "edited", release: { tag_name: "v1" } } },
    {},
    { kind: "skip" },
  ],
  [
    "such an edit, with a deploy of a ref",
    { name: "release", payload: { action: "edited", release: { tag_name: "v1" } } },
    { operation: "deploy", ref: "refs/tags/v1" },
    deploys("refs/tags/v1", mergeSha),
  ],
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
  ["an event that says nothing", { name: "label" }, {}, { kind: "refuse", input: "operation" }],
  ["such an event with an operation", { name: "label" }, { operation: "deploy" }, deploys("main", mergeSha)],
  ["no event at all", { name: "", ref: "" }, {}, { kind: "refuse", input: "operation" }],
  [
    "a ref of a pull request without its event",
    { name: "workflow_dispatch", ref: "refs/pull/1/merge" },
    {},
    { kind: "refuse", input: "ref" },
  ],
  ["a preview without a pull request", {}, { operation: "preview" }, { kind: "refuse", input: "pull-request" }],
  [
    "a preview of a pull request that is named",
    { name: "workflow_dispatch" },
    { operation: "preview", pullRequest: 12 },
    { kind: "look-up", pullRequest: 12 },
  ],
  ["a deletion", { name: "workflow_dispatch" }, { operation: "delete" }, { kind: "delete" }],
  [
    "a deletion without anything to tell what",
    { name: "workflow_run" },
    { operation: "delete" },
    { kind: "refuse", input: "operation" },
  ],
  [
    "the deletion of a branch, with a deletion",
    { name: "delete", payload: { ref: "old", ref_type: "branch" } },
    { operation: "delete" },
    { kind: "delete", onlyRef: "old" },
  ],
  [
    "the deletion of a tag, with a deletion",
    { name: "delete", payload: { ref: "v1", ref_type: "tag" } },
    { operation: "delete" },
    { kind: "delete", onlyRef: "refs/tags/v1" },
  ],
  [
    "a push that deletes a branch, with a deletion",
    { payload: { deleted: true, ref: "refs/heads/old" } },
    { operation: "delete" },
    { kind: "delete", onlyRef: "old" },
  ],
  [
    "the deletion of a ref that isn't named, with a deletion",
    { name: "delete" },
    { operation: "delete" },
    { kind: "refuse", input: "operation" },
  ],
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
    "open, with a deploy of an image",
    { payload: pullRequest("opened") },
    { operation: "deploy", needsRef: false },
    { kind: "refuse", input: "operation" },
  ],
  ["open, and assigned to somebody", { payload: pullRequest("assigned") }, {}, { kind: "skip" }],
  [
    "open, and assigned to somebody, with a preview",
    { payload: pullRequest("assigned") },
    { operation: "preview" },
    preview,
  ],
  [
    "of a number that isn't the input's",
    { payload: pullRequest("opened") },
    { pullRequest: 13 },
    { kind: "refuse", input: "pull-request" },
  ],
  ["from a fork, with an empty payload", { payload: {} }, {}, { kind: "skip" }],
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
    { ref: "refs/heads/main", payload: { action: "opened", pull_request: null } },
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
])("a pull_request_target event %s builds no fork unless the inputs say so", (_, event, inputs, target) => {
  expect(decide({ name: "pull_request_target", ...event }, inputs)).toMatchObject(target);
});

function workflowRun(event: string, head = repository, branch = "main") {
  return {
    action: "completed",
    workflow_run: {
      event,
      conclusion: "success",
      head_sha: headSha,
      head_branch: branch,
      head_repository: { full_name: head },
    },
  };
}

test.each<Row>([
  ["needs a ref", { payload: workflowRun("push") }, {}, { kind: "refuse", input: "ref" }],
  [
    "deploys its ref at the commit that it ran for",
    { payload: workflowRun("push") },
    { ref: "main" },
    deploys("main", headSha),
  ],
  [
    "of another branch is no commit of the ref",
    { payload: workflowRun("push") },
    { operation: "deploy", ref: "next" },
    deploys("next", undefined),
  ],
  [
    "of a tag deploys the tag at that commit",
    { payload: workflowRun("push", repository, "v1.0") },
    { ref: "refs/tags/v1.0" },
    deploys("refs/tags/v1.0", headSha),
  ],
  ["of a fork is skipped", { payload: workflowRun("push", "mallory/agents") }, { ref: "main" }, { kind: "skip" }],
  [
    "of a pull request needs an operation",
    { payload: workflowRun("pull_request") },
    { ref: "main" },
    { kind: "refuse", input: "operation" },
  ],
  [
    "that failed is skipped",
    {
      payload: {
        action: "completed",
        workflow_run: { ...workflowRun("push").workflow_run, conclusion: "failure" },
      },
    },
    { ref: "main" },
    { kind: "skip" },
  ],
  [
    "that only began is skipped",
    { payload: { ...workflowRun("push"), action: "requested" } },
    { ref: "main" },
    { kind: "skip" },
  ],
  [
    "of a pull request is no commit of the ref",
    { payload: workflowRun("pull_request") },
    { operation: "deploy", ref: "main" },
    deploys("main", undefined),
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

const onPullRequest = { number: 12, pull_request: { url: "https://api.github.com/repos/acme/agents/pulls/12" } };
const found = pullRequest("").pull_request as Record<string, unknown>;

test.each<[what: string, found: Record<string, unknown>, inputs: Partial<TargetInputs>, target: object]>([
  ["of this repository", found, {}, { ...preview, source: { ...preview.source, isPush: false } }],
  ["that was closed in the meantime", { ...found, state: "closed" }, {}, { kind: "skip" }],
  [
    "from a fork",
    { ...found, head: { ref: "main", sha: headSha, repo: { full_name: "mallory/agents" } } },
    {},
    { kind: "skip" },
  ],
  ["from a fork that was deleted", { ...found, head: { ref: "main", sha: headSha, repo: null } }, {}, { kind: "skip" }],
  ["that GitHub shows without its fields", {}, {}, { kind: "skip" }],
  [
    "that is only to be planned",
    found,
    { operation: "plan" },
    { kind: "plan", pullRequest: 12, source: { ref: "main", commit: undefined } },
  ],
])("a comment on a pull request %s is decided by its head", (_, found, inputs, target) => {
  const event = someEvent({ name: "issue_comment", payload: { action: "created", issue: onPullRequest } });
  const given: TargetInputs = { operation: "preview", needsRef: true, ...inputs };
  expect(targetOf(event, given)).toEqual({ kind: "look-up", pullRequest: 12 });
  expect(targetOf(event, given, found)).toMatchObject(target);
});

test.each<Row>([
  [
    "deletes its preview, without asking",
    { payload: { action: "created", issue: onPullRequest } },
    { operation: "delete" },
    { kind: "delete-preview", pullRequest: 12, isFork: false },
  ],
  [
    "that is an issue gets no preview",
    { payload: { action: "created", issue: { number: 12 } } },
    { operation: "preview" },
    { kind: "refuse" },
  ],
  [
    "that is an issue deletes nothing",
    { payload: { action: "created", issue: { number: 12 } } },
    { operation: "delete" },
    { kind: "refuse" },
  ],
  [
    "does nothing when the comment is edited",
    { payload: { action: "edited", issue: onPullRequest } },
    { operation: "delete" },
    { kind: "skip" },
  ],
])("a comment on a pull request %s", (_, event, inputs, target) => {
  expect(decide({ name: "issue_comment", ...event }, inputs)).toMatchObject(target);
});

test("a refusal says what to do", () => {
  expect(decide({ name: "pull_request", payload: pullRequest("opened") }, { operation: "deploy" })).toMatchObject({
    reason:
      '"deploy" on a pull request would bring unmerged code to the deployment itself: use "preview" or "plan", or name the ref.',
  });
});
