import { asFields, asText, type WorkflowEvent } from "./event.ts";
import type { Operation } from "./operations.ts";

/** What is to be done, decided from the event and the inputs alone. */
export type Target =
  | { kind: "skip"; reason: string }
  | { kind: "refuse"; input: string; reason: string }
  | { kind: "deploy"; source: TargetSource }
  | { kind: "preview"; source: TargetSource; pullRequest: number }
  | { kind: "plan"; source: TargetSource; pullRequest?: number }
  | { kind: "redeploy" }
  | { kind: "delete" }
  /** `isFork`: the run may have no credentials, and then nothing can have been made. */
  | { kind: "delete-preview"; pullRequest: number; isFork: boolean }
  | { kind: "sweep" };

/** The code that is to go live. */
export interface TargetSource {
  /** A branch by its bare name, a tag as `refs/tags/<tag>`; `undefined` only where none is needed (an image). */
  ref: string | undefined;
  /** The commit that the event is about; `undefined` where only the ref is known. */
  commit: string | undefined;
  /** The event moved the branch, so a platform that builds on push builds this commit by itself. */
  isPush: boolean;
}

export interface TargetInputs {
  operation: Operation;
  ref?: string | undefined;
  sha?: string | undefined;
  /** False for an image, which comes from no ref. */
  needsRef: boolean;
}

/** Decides by prefixes of full refs, never by short names: a branch and a tag may be called the same. */
export function targetOf(event: WorkflowEvent, inputs: TargetInputs): Target {
  const { operation } = inputs;
  if (operation === "sweep" || operation === "redeploy") return { kind: operation };
  if (event.name === "merge_group") {
    return {
      kind: "skip",
      reason: "A merge queue tests a commit that may never be merged: nothing is deployed for it.",
    };
  }
  if (event.name === "delete" || (event.name === "push" && event.payload.deleted === true)) {
    if (operation === "delete") return { kind: "delete" };
    return { kind: "skip", reason: `The ref ${event.ref || "of this event"} was deleted: there is nothing to deploy.` };
  }
  if (event.name === "pull_request" || event.name === "pull_request_target") return ofPullRequest(event, inputs);
  if (operation === "delete") return { kind: "delete" };
  if (operation === "preview")
    return refuse("operation", `A preview belongs to a pull request, and the event ${event.name} has none.`);
  if (event.name === "workflow_run") return ofWorkflowRun(event, inputs);
  return ofRef(event, inputs);
}

function ofPullRequest(event: WorkflowEvent, inputs: TargetInputs): Target {
  const { operation } = inputs;
  const pull = asFields(event.payload.pull_request);
  const head = asFields(pull.head);
  const number = Number(pull.number ?? event.payload.number);
  if (!Number.isSafeInteger(number) || number <= 0) {
    return refuse("operation", `The event ${event.name} carries no number of a pull request.`);
  }
  const headRepository = asText(asFields(head.repo).full_name);
  const isFork = headRepository === undefined || headRepository.toLowerCase() !== event.repository.toLowerCase();
  if (
    operation === "delete" ||
    (event.payload.action === "closed" && (operation === "auto" || operation === "preview"))
  ) {
    return { kind: "delete-preview", pullRequest: number, isFork };
  }
  if (event.payload.action === "closed") {
    return {
      kind: "skip",
      reason: `Pull request #${number} is closed: a push of what was merged is deployed by its own event.`,
    };
  }
  if (operation === "plan") {
    if (isFork) return skipFork(number);
    // What would be deployed once it is merged.
    const base = asText(asFields(pull.base).ref);
    return withRef(inputs, base, undefined, false, (source) => ({ kind: "plan", source, pullRequest: number }));
  }
  // Only where secrets reach a fork's pull request by the user's own choice may the user choose the ref, too.
  const isChosen = event.name === "pull_request_target" && operation !== "auto" && inputs.ref !== undefined;
  if (isFork && !isChosen) return skipFork(number);
  const sha = isFork ? undefined : asText(head.sha);
  const ref = isFork ? undefined : asText(head.ref);
  if (operation === "deploy") {
    if (inputs.ref === undefined && inputs.needsRef) {
      return refuse(
        "operation",
        `"deploy" on a pull request would bring unmerged code to the deployment itself: use "preview" or "plan", or name the ref.`,
      );
    }
    return withRef(inputs, undefined, sha, false, (source) => ({ kind: "deploy", source }));
  }
  return withRef(inputs, ref, sha, true, (source) => ({ kind: "preview", source, pullRequest: number }));
}

function ofWorkflowRun(event: WorkflowEvent, inputs: TargetInputs): Target {
  const run = asFields(event.payload.workflow_run);
  const repository = asText(asFields(run.head_repository).full_name);
  if (repository === undefined || repository.toLowerCase() !== event.repository.toLowerCase()) {
    return { kind: "skip", reason: "The workflow run that caused this one was for a fork: its code is not deployed." };
  }
  if (inputs.operation === "auto" && String(run.event).startsWith("pull_request")) {
    return refuse("operation", "The workflow run that caused this one was for a pull request: say what to do with it.");
  }
  if (inputs.ref === undefined && inputs.needsRef) {
    return refuse("ref", "A workflow_run event doesn't tell a branch from a tag: name the ref to deploy.");
  }
  const kind = inputs.operation === "plan" ? "plan" : "deploy";
  return withRef(inputs, inputs.ref && plainRef(inputs.ref), asText(run.head_sha), false, (source) => ({
    kind,
    source,
  }));
}

/** Events whose own ref may go live without being told so. */
const deployingEvents: ReadonlySet<string> = new Set([
  "push",
  "release",
  "workflow_dispatch",
  "schedule",
  "repository_dispatch",
]);

function ofRef(event: WorkflowEvent, inputs: TargetInputs): Target {
  if (inputs.operation === "auto" && !deployingEvents.has(event.name)) {
    return refuse(
      "operation",
      `The event ${event.name || "(none)"} says nothing about what to deploy: name the operation.`,
    );
  }
  const kind = inputs.operation === "plan" ? "plan" : "deploy";
  if (event.name !== "release") {
    return withRef(inputs, plainRef(event.ref), event.sha || undefined, event.name === "push", (source) => ({
      kind,
      source,
    }));
  }
  const { action } = event.payload;
  if (action === "deleted" || action === "unpublished") {
    return { kind: "skip", reason: `The release was ${action}: there is nothing to deploy.` };
  }
  const tag = asText(asFields(event.payload.release).tag_name);
  return withRef(inputs, tag && `refs/tags/${tag}`, event.sha || undefined, false, (source) => ({ kind, source }));
}

/** The inputs `ref` and `sha` win over the event's. The event's commit is only that of its own ref. */
function withRef(
  inputs: TargetInputs,
  eventRef: string | undefined,
  eventCommit: string | undefined,
  isPush: boolean,
  target: (source: TargetSource) => Target,
): Target {
  const given = inputs.ref === undefined ? undefined : plainRef(inputs.ref);
  const ref = given ?? eventRef;
  if (ref === undefined && inputs.needsRef) {
    return refuse("ref", "The event names neither a branch nor a tag: name the ref to deploy.");
  }
  const isOwnRef = given === undefined || given === eventRef;
  return target({
    ref,
    commit: inputs.sha ?? (isOwnRef ? eventCommit : undefined),
    isPush: isPush && isOwnRef && ref !== undefined && !ref.startsWith("refs/tags/"),
  });
}

/** A branch by its bare name, a tag by its full ref; `undefined` for refs that are neither. */
function plainRef(ref: string): string | undefined {
  if (ref.startsWith("refs/heads/")) return ref.slice("refs/heads/".length) || undefined;
  if (ref.startsWith("refs/tags/")) return ref;
  if (ref === "" || ref.startsWith("refs/")) return undefined;
  return ref;
}

function refuse(input: string, reason: string): Target {
  return { kind: "refuse", input, reason };
}

function skipFork(number: number): Target {
  return {
    kind: "skip",
    reason: `Pull request #${number} comes from a fork: its code is not deployed, and its runs get no secrets.`,
  };
}
