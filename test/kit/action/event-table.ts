import type { Operation } from "../../../action/operations.ts";
import { documentedEvents } from "./documented-events.ts";

/** What a run may do. A notice is a run that does nothing and passes; a refusal is one that fails with an error. */
export type Outcome =
  | "deploy"
  | "preview"
  | "delete preview"
  | "delete deployment"
  | "delete if deployed from that ref"
  | "plan"
  | "redeploy"
  | "notice"
  | "refuse";

type Decided = Exclude<Operation, "sweep">;
type Outcomes = Readonly<Record<Decided, Outcome>>;

/** Cases of an event with different outcomes. `test/kit/action/event-samples.ts` has a payload of each. */
export type Case =
  | ""
  | "a branch or tag"
  | "a branch of a merge queue"
  | "a deleted branch or tag"
  | "a branch or tag to deploy"
  | "a commit to deploy"
  | "successful"
  | "not successful"
  | "open, of this repository"
  | "open, from a fork"
  | "already closed"
  | "on an open pull request of this repository"
  | "on an open pull request from a fork"
  | "on a closed pull request"
  | "on an issue"
  | "success of a push"
  | "success of a pull request's run"
  | "success of a merge queue's run"
  | "for a fork";

export interface EventRow {
  event: string;
  types: readonly string[];
  when: Case;
  /** Without the inputs `ref` and `pull-request`. */
  may: Outcomes;
  /** Differences with the input `ref`. */
  withRef: Partial<Outcomes>;
  /** The event names no ref, which only an image doesn't need. */
  lacksRef: boolean;
  /** Whether the input `pull-request` can name the pull request. */
  takesPullRequest: boolean;
}

const redeploying = { redeploy: "redeploy" } as const;
/** Events whose ref is deployed, since nothing else could be meant. */
const direct: Outcomes = {
  ...{ auto: "deploy", deploy: "deploy", preview: "refuse", delete: "delete deployment", plan: "plan" },
  ...redeploying,
};
/** Events that don't say what to deploy, so the operation must. None says what to delete. */
const unrelated: Outcomes = { ...direct, auto: "refuse", delete: "refuse" };
/** Events that are no reason to build anything. */
const noReason: Outcomes = {
  ...{ auto: "notice", deploy: "notice", preview: "notice", delete: "refuse", plan: "notice" },
  ...redeploying,
};
/** An edited or deleted comment: no reason for anything. */
const nothing: Outcomes = { ...noReason, delete: "notice", redeploy: "notice" };
const openPullRequest: Outcomes = {
  ...{ auto: "preview", deploy: "refuse", preview: "preview", delete: "delete preview", plan: "plan" },
  ...redeploying,
};
const forkedPullRequest: Outcomes = { ...noReason, delete: "delete preview" };
const closedPullRequest: Outcomes = forkedPullRequest;

function rows(event: string, may: Outcomes, more: Partial<Omit<EventRow, "event" | "may">> = {}): EventRow[] {
  const types = documentedEvents[event]?.types ?? [];
  return [{ event, types, when: "", may, withRef: {}, lacksRef: false, takesPullRequest: true, ...more }];
}

/** Types about the code of a pull request, or that request a preview. */
export const previewTypes = ["opened", "reopened", "synchronize", "labeled", "ready_for_review"];

function pullRequestRows(event: "pull_request" | "pull_request_target"): EventRow[] {
  const all = documentedEvents[event]?.types ?? [];
  const others = all.filter((type) => type !== "closed");
  const own = { takesPullRequest: false, withRef: { deploy: "deploy" } } as const;
  // These runs get secrets by the workflow's choice, so it may choose the ref as well.
  const chosen = event === "pull_request_target" ? ({ deploy: "deploy", preview: "preview" } as const) : {};
  return [
    ...rows(event, openPullRequest, { ...own, types: previewTypes, when: "open, of this repository" }),
    ...rows(
      event,
      { ...openPullRequest, auto: "notice" },
      { ...own, types: others.filter((type) => !previewTypes.includes(type)), when: "open, of this repository" },
    ),
    ...rows(event, forkedPullRequest, { ...own, types: others, when: "open, from a fork", withRef: chosen }),
    ...rows(event, closedPullRequest, { ...own, types: others, when: "already closed", withRef: {} }),
    ...rows(
      event,
      { ...closedPullRequest, auto: "delete preview", preview: "delete preview" },
      { ...own, types: ["closed"], withRef: {} },
    ),
  ];
}

function reviewRows(event: string, types: readonly string[]): EventRow[] {
  const own = { types, takesPullRequest: false } as const;
  return [
    ...rows(
      event,
      { ...openPullRequest, auto: "refuse" },
      { ...own, when: "open, of this repository", withRef: { deploy: "deploy" } },
    ),
    ...rows(event, { ...forkedPullRequest, auto: "refuse" }, { ...own, when: "open, from a fork" }),
    ...rows(event, { ...closedPullRequest, auto: "refuse" }, { ...own, when: "already closed" }),
  ];
}

/** An event that reports on something else; only success is a reason to build. */
function reportRows(event: string): EventRow[] {
  const types = documentedEvents[event]?.types ?? [];
  return [
    ...rows(event, unrelated, { when: "successful", types: types.includes("completed") ? ["completed"] : [] }),
    ...rows(event, noReason, { when: "not successful" }),
  ];
}

const unrelatedEvents = [
  ...["branch_protection_rule", "create", "discussion", "fork", "gollum", "image_version", "issues", "label"],
  ...["milestone", "page_build", "project", "project_card", "project_column", "public", "registry_package", "watch"],
];

/** The outcomes by event, activity type and case, from GitHub's documentation. */
export const eventTable: readonly EventRow[] = [
  ...rows("push", direct, { when: "a branch or tag" }),
  ...rows("push", nothing, { when: "a branch of a merge queue" }).map(redeployable),
  ...rows(
    "push",
    { ...noReason, delete: "delete if deployed from that ref" },
    { when: "a deleted branch or tag", types: [] },
  ),
  ...rows("delete", { ...noReason, delete: "delete if deployed from that ref" }),
  ...rows("workflow_dispatch", direct),
  ...rows("repository_dispatch", direct),
  ...rows("schedule", direct),
  ...rows("release", { ...direct, delete: "refuse" }, { types: ["published"] }),
  ...rows("release", noReason, {
    types: documentedEvents.release?.types.filter((type) => type !== "published") ?? [],
    withRef: { deploy: "deploy" },
  }),
  ...rows("merge_group", nothing).map(redeployable),
  ...pullRequestRows("pull_request"),
  ...pullRequestRows("pull_request_target"),
  ...reviewRows("pull_request_review", ["submitted", "edited", "dismissed"]),
  ...reviewRows("pull_request_review_comment", ["created"]),
  ...rows("pull_request_review_comment", nothing, { types: ["edited", "deleted"], takesPullRequest: false }),
  ...rows(
    "issue_comment",
    { ...openPullRequest, auto: "refuse" },
    {
      types: ["created"],
      when: "on an open pull request of this repository",
      withRef: { deploy: "deploy" },
      takesPullRequest: false,
    },
  ),
  ...rows(
    "issue_comment",
    { ...forkedPullRequest, auto: "refuse", deploy: "refuse" },
    {
      types: ["created"],
      when: "on an open pull request from a fork",
      withRef: { deploy: "deploy", preview: "preview" },
      takesPullRequest: false,
    },
  ),
  ...rows(
    "issue_comment",
    { ...closedPullRequest, auto: "refuse", deploy: "refuse" },
    {
      types: ["created"],
      when: "on a closed pull request",
      withRef: { deploy: "deploy" },
      takesPullRequest: false,
    },
  ),
  ...rows("issue_comment", unrelated, { types: ["created"], when: "on an issue" }),
  ...rows("issue_comment", nothing, { types: ["edited", "deleted"] }),
  ...rows("discussion_comment", unrelated, { types: ["created"] }),
  ...rows("discussion_comment", nothing, { types: ["edited", "deleted"] }),
  ...rows(
    "workflow_run",
    { ...unrelated, deploy: "refuse", plan: "refuse" },
    {
      types: ["completed"],
      when: "success of a push",
      withRef: { auto: "deploy", deploy: "deploy", plan: "plan" },
      lacksRef: true,
    },
  ),
  ...rows(
    "workflow_run",
    { ...unrelated, deploy: "refuse", plan: "refuse" },
    {
      types: ["completed"],
      when: "success of a pull request's run",
      withRef: { deploy: "deploy", plan: "plan" },
      lacksRef: true,
    },
  ),
  ...rows("workflow_run", noReason, { types: ["completed"], when: "success of a merge queue's run" }),
  ...rows("workflow_run", noReason, { when: "for a fork" }),
  ...rows("workflow_run", noReason, { when: "not successful" }),
  ...reportRows("check_run"),
  ...reportRows("check_suite"),
  ...reportRows("status"),
  ...reportRows("deployment_status"),
  ...rows("deployment", unrelated, { when: "a branch or tag to deploy" }),
  ...rows(
    "deployment",
    { ...unrelated, deploy: "refuse", plan: "refuse" },
    { when: "a commit to deploy", withRef: { deploy: "deploy", plan: "plan" }, lacksRef: true },
  ),
  ...unrelatedEvents.flatMap((event) => rows(event, unrelated)),
];

function redeployable(row: EventRow): EventRow {
  return { ...row, may: { ...row.may, redeploy: "redeploy" } };
}

/** Which inputs are given. */
export interface GivenInputs {
  ref: boolean;
  /** On an event with a pull request of its own: the number of another one. */
  pullRequest: boolean;
  image?: boolean;
}

/** The table's outcome with these inputs; a pull request that they name is an open one of this repository. */
export function allowedOutcome(row: EventRow, operation: Decided, given: GivenInputs): Outcome {
  const { may, withRef, lacksRef, takesPullRequest } = row;
  const hasRef = given.ref || (lacksRef && given.image === true);
  const plain = hasRef ? (withRef[operation] ?? may[operation]) : may[operation];
  if (!given.pullRequest || operation === "redeploy" || may.delete === "notice") return plain;
  if (!takesPullRequest) return "refuse";
  if (operation === "delete") return "delete preview";
  if (operation === "deploy" && given.ref) return withRef.deploy ?? may.deploy;
  // The number of a pull request isn't a reason to build where the event isn't.
  if (may.deploy === "notice") return "notice";
  if (operation === "deploy") return "refuse";
  return operation === "plan" ? "plan" : "preview";
}
