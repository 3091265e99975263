import type { WorkflowEvent } from "../../../action/event.ts";
import type { Case, EventRow } from "./event-table.ts";
import { headSha, pullRequest } from "./events.ts";

const fork = "mallory/agents";
export const pullRequestNumber = 12;

/** The payload of an event of one row of the table: the documented fields that distinguish its cases. */
export function sampleOf({ event, when }: EventRow, type: string | undefined): Partial<WorkflowEvent> {
  const action = type === undefined ? {} : { action: type };
  const sample = samples[event]?.(when, type) ?? { ref: "refs/heads/main" };
  return {
    ...sample,
    name: event,
    payload: { ...action, sender: { login: "octocat", type: "User" }, ...sample.payload },
  };
}

const samples: Readonly<Record<string, (when: Case, type: string | undefined) => Partial<WorkflowEvent>>> = {
  push: (when) =>
    when === "a branch of a merge queue"
      ? { ref: "refs/heads/gh-readonly-queue/main/pr-12-abc", payload: { deleted: false } }
      : when === "a deleted branch or tag"
        ? { ref: "refs/heads/main", payload: { deleted: true, ref: "refs/heads/old" } }
        : { ref: "refs/heads/main", payload: { deleted: false, ref: "refs/heads/main" } },
  create: () => ({ ref: "refs/heads/new", payload: { ref: "new", ref_type: "branch" } }),
  delete: () => ({ ref: "refs/heads/main", payload: { ref: "old", ref_type: "branch" } }),
  merge_group: () => ({ ref: "refs/heads/gh-readonly-queue/main/pr-12-abc" }),
  release: () => ({ ref: "refs/tags/v1.0", payload: { release: { tag_name: "v1.0" } } }),
  registry_package: () => ({ ref: "refs/tags/v1.0" }),
  pull_request: (when, type) => ({ ref: "refs/pull/12/merge", payload: ofPullRequest(when, type) }),
  pull_request_review: (when, type) => ({ ref: "refs/pull/12/merge", payload: ofPullRequest(when, type) }),
  pull_request_review_comment: (when, type) => ({ ref: "refs/pull/12/merge", payload: ofPullRequest(when, type) }),
  pull_request_target: (when, type) => ({ ref: "refs/heads/main", payload: ofPullRequest(when, type) }),
  issue_comment: (when) => ({
    ref: "refs/heads/main",
    payload: {
      issue: {
        number: pullRequestNumber,
        state: when === "on a closed pull request" ? "closed" : "open",
        ...(when === "on an issue"
          ? {}
          : { pull_request: { url: "https://api.github.com/repos/acme/agents/pulls/12" } }),
      },
      comment: { body: "/preview" },
    },
  }),
  workflow_run: (when, type) => ({
    ref: "refs/heads/main",
    payload: {
      workflow_run: {
        event: causes[when] ?? "push",
        conclusion: type !== "completed" ? null : when === "not successful" ? "failure" : "success",
        head_sha: headSha,
        head_branch: "main",
        head_repository: { full_name: when === "for a fork" ? fork : "acme/agents" },
        pull_requests: [],
      },
    },
  }),
  check_run: (when, type) => ({
    ref: "refs/heads/main",
    payload: { check_run: { conclusion: conclusion(when, type) } },
  }),
  check_suite: (when, type) => ({
    ref: "refs/heads/main",
    payload: { check_suite: { conclusion: conclusion(when, type) } },
  }),
  status: (when) => ({ ref: "refs/heads/main", payload: { state: when === "successful" ? "success" : "pending" } }),
  deployment_status: (when) => ({
    ref: "refs/heads/main",
    payload: { deployment_status: { state: when === "successful" ? "success" : "in_progress" } },
  }),
  deployment: (when) => ({ ref: when === "a commit to deploy" ? "" : "refs/heads/main" }),
};

const causes: Partial<Record<Case, string>> = {
  "success of a pull request's run": "pull_request",
  "success of a merge queue's run": "merge_group",
};

function conclusion(when: Case, type: string | undefined): string | null {
  if (type !== "completed") return null;
  return when === "successful" ? "success" : "failure";
}

function ofPullRequest(when: Case, type: string | undefined) {
  const payload = pullRequest(type ?? "", {
    number: pullRequestNumber,
    ...(when === "open, from a fork" ? { head: fork } : {}),
  });
  const pull = payload.pull_request as Record<string, unknown>;
  return {
    ...payload,
    pull_request: { ...pull, state: when === "already closed" || type === "closed" ? "closed" : "open" },
  };
}

/** GitHub's API response about the pull request of a row, where the payload isn't enough. */
export function lookedUpPullRequest(when: Case): Record<string, unknown> {
  const head = when === "on an open pull request from a fork" || when === "for a fork" ? fork : "acme/agents";
  const pull = pullRequest("", { number: pullRequestNumber, head }).pull_request as Record<string, unknown>;
  return { ...pull, state: when === "on a closed pull request" ? "closed" : "open" };
}
