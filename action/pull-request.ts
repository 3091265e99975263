import { asCommit, asFields, asText, type Fields, type WorkflowEvent } from "./event.ts";
import { refuse, skip, type Target, type TargetInputs, withRef } from "./target.ts";

/** Events of a pull request itself, which move its code or say that it is to be shown. */
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "pull_request_target"]);
const reviewEvents: ReadonlySet<string> = new Set(["pull_request_review", "pull_request_review_comment"]);

/** Activity types that `auto` builds a preview for. The others, such as `assigned`, say nothing about the code. */
const previewTypes: ReadonlySet<unknown> = new Set([
  "opened",
  "reopened",
  "synchronize",
  "labeled",
  "ready_for_review",
]);

/** Whether the payload brings the pull request, with its head. */
export function hasPullRequest({ name }: WorkflowEvent): boolean {
  return pullRequestEvents.has(name) || reviewEvents.has(name);
}

/** The number of the event's own pull request; `undefined` where it has none. */
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

/** Whether a pull request, as a payload or the API shows it, comes from elsewhere. A deleted fork is no repository at all. */
export function isFromFork(pull: Fields, { repository }: WorkflowEvent): boolean {
  const head = asText(asFields(asFields(pull.head).repo).full_name);
  return head === undefined || head.toLowerCase() !== repository.toLowerCase();
}

/** What is to be done about a pull request whose head and state are known. */
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
      `Pull request #${number} is closed: it gets no preview, and a push of what was merged is deployed by its own event.`,
    );
  }
  if (operation === "plan") {
    if (isFork) return skipFork(number);
    // What would be deployed once it is merged.
    const base = asText(asFields(pull.base).ref);
    return withRef(inputs, base, undefined, false, (source) => ({ kind: "plan", source, pullRequest: number }));
  }
  if (isOwnEvent && operation === "auto" && !previewTypes.has(action)) {
    return skip(
      `Pull request #${number} was ${asText(action) ?? "changed"}, which is no new code: set operation: preview to build it all the same.`,
    );
  }
  // Only where secrets reach the run by the user's own choice may the user choose the ref of a fork, too.
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

/** A deploy where a pull request is what the event is about: only of a ref that is named. */
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
