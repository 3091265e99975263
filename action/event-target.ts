import { asCommit, asFields, asText, type Fields, type WorkflowEvent } from "./event.ts";
import { deployOnPullRequest, hasPullRequest, isFromFork, ofPullRequest, ownPullRequest } from "./pull-request.ts";
import { buildSkipReason, commentSkipReason, deletedRef, isDeletion, mergeQueueSkipReason } from "./skip-reason.ts";
import { plainRef, refuse, skip, type Target, type TargetInputs, withRef } from "./target.ts";

/** Events that may delete the main deployment with `operation: delete`: they are about nothing else. */
const deletingEvents: ReadonlySet<string> = new Set(["push", "workflow_dispatch", "schedule", "repository_dispatch"]);

/** Events whose ref is deployed without further inputs. */
const deployingEvents: ReadonlySet<string> = new Set([...deletingEvents, "release"]);

/**
 * Decides what to do, by prefixes of full refs, since a branch and a tag may have the same short name.
 * @param found the pull request of an earlier `look-up`, as GitHub returned it
 */
export function targetOf(event: WorkflowEvent, inputs: TargetInputs, found?: Fields): Target {
  const { operation } = inputs;
  if (operation === "sweep") return { kind: "sweep" };
  const noComment = commentSkipReason(event);
  if (noComment !== undefined) return skip(noComment);
  if (operation === "redeploy") return { kind: "redeploy" };
  const queued = mergeQueueSkipReason(event);
  if (queued !== undefined) return skip(queued);
  const own = ownPullRequest(event);
  if (own === undefined && hasPullRequest(event)) {
    return refuse("operation", `The event ${event.name} carries no number of a pull request.`);
  }
  const number = own ?? inputs.pullRequest;
  if (own !== undefined && inputs.pullRequest !== undefined && inputs.pullRequest !== own) {
    return refuse("pull-request", `is #${inputs.pullRequest}, but the event ${event.name} is about #${own}.`);
  }
  if (operation === "delete") return ofDeletion(event, number);
  const chosen = operation === "deploy" && inputs.ref !== undefined;
  const noReason = buildSkipReason(event) ?? (chosen ? undefined : releaseSkipReason(event));
  if (noReason !== undefined) return skip(noReason);
  if (number !== undefined) return aboutPullRequest(event, inputs, number, found);
  if (operation === "preview") {
    return refuse(
      "pull-request",
      event.name === "issue_comment"
        ? "The comment is on an issue, and a preview belongs to a pull request."
        : `A preview belongs to a pull request, and the event ${event.name} has none: give its number.`,
    );
  }
  if (event.name === "workflow_run") return ofWorkflowRun(event, inputs);
  return ofRef(event, inputs);
}

function ofDeletion(event: WorkflowEvent, pullRequest: number | undefined): Target {
  if (pullRequest !== undefined) {
    const isFork = hasPullRequest(event) && isFromFork(asFields(event.payload.pull_request), event);
    return { kind: "delete-preview", pullRequest, isFork };
  }
  if (isDeletion(event)) {
    const onlyRef = plainRef(deletedRef(event) ?? "");
    if (onlyRef !== undefined) return { kind: "delete", onlyRef };
  } else if (deletingEvents.has(event.name)) return { kind: "delete" };
  return refuse(
    "operation",
    `The event ${event.name || "(none)"} doesn't say what to delete: give pull-request for a preview, or use workflow_dispatch for the deployment itself.`,
  );
}

function aboutPullRequest(
  event: WorkflowEvent,
  inputs: TargetInputs,
  number: number,
  found: Fields | undefined,
): Target {
  if (hasPullRequest(event)) return ofPullRequest(event, inputs, number, asFields(event.payload.pull_request));
  if (inputs.operation === "deploy") return deployOnPullRequest(inputs);
  if (inputs.operation === "auto" && ownPullRequest(event) !== undefined) return needsOperation(event);
  if (found === undefined) return { kind: "look-up", pullRequest: number };
  return ofPullRequest(event, inputs, number, found);
}

/**
 * GitHub sends `created`, `released` and `prereleased` in addition to `published`, and `edited` for notes of old
 * releases.
 */
function releaseSkipReason({ name, payload }: WorkflowEvent): string | undefined {
  if (name !== "release" || payload.action === "published") return undefined;
  return `The release was ${asText(payload.action) ?? "changed"}: only a published one (types: [published]) is deployed.`;
}

function ofWorkflowRun(event: WorkflowEvent, inputs: TargetInputs): Target {
  const run = asFields(event.payload.workflow_run);
  const wasPullRequest = String(run.event).startsWith("pull_request");
  if (inputs.operation === "auto" && wasPullRequest) {
    return refuse("operation", "The workflow run that caused this one was for a pull request: name the operation.");
  }
  if (inputs.ref === undefined && inputs.needsRef) {
    return refuse("ref", "A workflow_run event doesn't tell a branch from a tag: name the ref to deploy.");
  }
  const kind = inputs.operation === "plan" ? "plan" : "deploy";
  const ref = inputs.ref === undefined ? undefined : plainRef(inputs.ref);
  // The run that caused this one may have been for a branch other than the input `ref`.
  const isOfRef = ref === undefined || run.head_branch === ref.replace(/^refs\/tags\//, "");
  const commit = wasPullRequest || !isOfRef ? undefined : asCommit(run.head_sha);
  return withRef(inputs, ref, commit, false, (source) => ({ kind, source }));
}

function ofRef(event: WorkflowEvent, inputs: TargetInputs): Target {
  if (inputs.operation === "auto" && !deployingEvents.has(event.name)) return needsOperation(event);
  const kind = inputs.operation === "plan" ? "plan" : "deploy";
  const commit = event.sha || undefined;
  if (event.name !== "release") {
    return withRef(inputs, plainRef(event.ref), commit, event.name === "push", (source) => ({ kind, source }));
  }
  const tag = asText(asFields(event.payload.release).tag_name);
  return withRef(inputs, tag && `refs/tags/${tag}`, commit, false, (source) => ({ kind, source }));
}

function needsOperation({ name }: WorkflowEvent): Target {
  return refuse("operation", `The event ${name || "(none)"} says nothing about what to deploy: name the operation.`);
}
