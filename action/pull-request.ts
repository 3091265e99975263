import { asCommit, asFields, asText, type Fields, type WorkflowEvent } from "./event.ts";
import { refuse, skip, type Target, type TargetInputs, withRef } from "./target.ts";

/** Events about the code or the state of a pull request. */
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "pull_request_target"]);
const reviewEvents: ReadonlySet<string> = new Set(["pull_request_review", "pull_request_review_comment"]);

/** Activity types for which `auto` builds a preview. Others, such as `assigned`, aren't about the code. */
const previewTypes: ReadonlySet<unknown> = new Set([
  "opened",
  "reopened",
  "synchronize",
  "labeled",
  "ready_for_review",
]);

/** Whether the payload holds the pull request, with its head. */
export function hasPullRequest({ name }: WorkflowEvent): boolean {
  return pullRequestEvents.has(name) || reviewEvents.has(name);
}

/** The number of the event's pull request, if it has one. */
export function ownPullRequest(event: WorkflowEvent): number | undefined {
  const { payload } = event;
  if (hasPullRequest(event)) {
    // The payload of a fork's run may be empty.
    const [, digits] = /^refs\/pull\/(\d+)\/(?:merge|head)$/.exec(event.ref) ?? [];
    return asNumber(asFields(payload.pull_request).number) ?? asNumber(payload.number) ?? asNumber(Number(digits));
  }
  if (event.name !== "issue_comment") return undefined;
  const issue = asFields(payload.issue);
  return typeof issue.pull_request === "object" && issue.pull_request !== null ? asNumber(issue.number) : undefined;
}

/** Whether a pull request comes from a fork. That of a deleted fork has no repository. */
export function isFromFork(pull: Fields, { repository }: WorkflowEvent): boolean {
  const head = asText(asFields(asFields(pull.head).repo).full_name);
  return head === undefined || head.toLowerCase() !== repository.toLowerCase();
}

/** The target for a pull request whose head and state are known. */
export function ofPullRequest(event: WorkflowEvent, inputs: TargetInputs, number: number, pull: Fields): Target {
  const { operation } = inputs;
  const { action } = event.payload;
  const isOwnEvent = pullRequestEvents.has(event.name);
  const isFork = isFromFork(pull, event);
  if (reviewEvents.has(event.name) && operation === "auto") {
    return refuse("operation", `The event ${event.name} says nothing about what to deploy: name the operation.`);
  }
  if (isOwnEvent && action === "closed" && (operation === "auto" || operation === "preview")) {
    return { kind: "delete-preview", pullRequest: number, isFork };
  }
  if ((isOwnEvent && action === "closed") || pull.state === "closed") {
    return skip(
      `Pull request #${number} is closed: it gets no preview, and the push of the merge is deployed by its own event.`,
    );
  }
  if (operation === "plan") {
    if (isFork) return skipFork(number);
    // A merge would deploy the base branch.
    const base = asText(asFields(pull.base).ref);
    return withRef(inputs, base, undefined, false, (source) => ({ kind: "plan", source, pullRequest: number }));
  }
  if (isOwnEvent && operation === "auto" && !previewTypes.has(action)) {
    return skip(
      `Pull request #${number} was ${asText(action) ?? "changed"}, which doesn't change the code: set operation: preview to build it anyway.`,
    );
  }
  // A fork's ref is allowed only if the user chose it for an event whose runs get secrets by the user's choice.
  const isChosen =
    event.name !== "pull_request" && !reviewEvents.has(event.name) && operation !== "auto" && inputs.ref !== undefined;
  if (isFork && !isChosen) return skipFork(number);
  if (operation === "deploy") return deployOnPullRequest(inputs);
  const { ref, sha } = asFields(isFork ? undefined : pull.head);
  return withRef(inputs, asText(ref), asCommit(sha), isOwnEvent, (source) => ({
    kind: "preview",
    source,
    pullRequest: number,
  }));
}

/** The target of `deploy` for a pull request event, which needs the input `ref`. */
export function deployOnPullRequest(inputs: TargetInputs): Target {
  if (inputs.ref !== undefined)
    return withRef(inputs, undefined, undefined, false, (source) => ({ kind: "deploy", source }));
  return refuse(
    "operation",
    `"deploy" on a pull request would bring unmerged code to the deployment itself: use "preview" or "plan", or name the ref.`,
  );
}

function skipFork(number: number): Target {
  return skip(`Pull request #${number} comes from a fork: its code is not deployed, and its runs get no secrets.`);
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
