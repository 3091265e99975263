import { asFields, asText, type Fields, type WorkflowEvent } from "./event.ts";

const commentEvents: ReadonlySet<string> = new Set([
  "issue_comment",
  "pull_request_review_comment",
  "discussion_comment",
]);

/** Why a comment event is skipped: only a new comment may start anything. */
export function commentSkipReason({ name, payload }: WorkflowEvent): string | undefined {
  if (!commentEvents.has(name) || payload.action === "created") return undefined;
  return `A comment was ${asText(payload.action) ?? "changed"}: only a new one (types: [created]) starts anything.`;
}

/** Why a merge queue's commit is skipped. Its branches cause push events, too. */
export function mergeQueueSkipReason({ name, ref }: WorkflowEvent): string | undefined {
  const isQueued = name === "merge_group" || (name === "push" && ref.startsWith("refs/heads/gh-readonly-queue/"));
  return isQueued ? "A merge queue tests a commit that may never be merged: nothing is deployed for it." : undefined;
}

/** Why an event doesn't lead to a build; `undefined` if it may. */
export function buildSkipReason(event: WorkflowEvent): string | undefined {
  const { name, payload } = event;
  if (isDeletion(event)) return `The ref ${deletedRef(event) ?? ""} was deleted: there is nothing to deploy.`;
  if (name === "workflow_run") {
    const run = asFields(payload.workflow_run);
    const repository = asText(asFields(run.head_repository).full_name);
    if (repository === undefined || repository.toLowerCase() !== event.repository.toLowerCase()) {
      return "The workflow run that caused this one was for a fork: its code is not deployed.";
    }
    if (run.event === "merge_group") {
      return "The workflow run that caused this one was for a merge queue, whose commit may never be merged: nothing is deployed for it.";
    }
  }
  const state = reportedStates[name]?.(payload);
  if (state === undefined || state === "success") return undefined;
  return `The event ${name} reports ${state}: only what ended with success is deployed.`;
}

/** Whether a branch or tag was deleted. */
export function isDeletion({ name, payload }: WorkflowEvent): boolean {
  return name === "delete" || (name === "push" && payload.deleted === true);
}

/** The full ref that was deleted; `undefined` where the event doesn't say. `GITHUB_REF` is the default branch then. */
export function deletedRef({ name, payload }: WorkflowEvent): string | undefined {
  const ref = asText(payload.ref);
  if (name !== "delete" || ref === undefined) return ref;
  if (payload.ref_type === "branch") return `refs/heads/${ref}`;
  return payload.ref_type === "tag" ? `refs/tags/${ref}` : undefined;
}

/**
 * The outcome that an event reports. GitHub sends these events for every outcome, and most also before there is one.
 */
const reportedStates: Readonly<Record<string, (payload: Fields) => string>> = {
  workflow_run: ({ action, workflow_run }) => ended(action, asFields(workflow_run).conclusion),
  check_run: ({ action, check_run }) => ended(action, asFields(check_run).conclusion),
  check_suite: ({ action, check_suite }) => ended(action, asFields(check_suite).conclusion),
  status: ({ state }) => asText(state) ?? "no state",
  deployment_status: ({ deployment_status }) => asText(asFields(deployment_status).state) ?? "no state",
};

function ended(action: unknown, conclusion: unknown): string {
  if (action !== "completed") return asText(action) ?? "no activity";
  return asText(conclusion) ?? "no conclusion";
}
