import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";
import { formatDuration } from "../../core/time.ts";
import { counted } from "./text.ts";

/** A progress event as the rest of a line that begins with the deployment's key. */
export function progressText(event: ProgressEvent): string {
  switch (event.type) {
    case "deployment":
      return event.created ? `created deployment ${event.deploymentId}` : `found deployment ${event.deploymentId}`;
    case "revision":
      return `following revision ${event.revisionId}${event.webUrl === undefined ? "" : `: ${event.webUrl}`}`;
    case "status":
      return `${event.status} (${formatDuration(event.elapsedMs)})`;
    case "heartbeat":
      return event.unreadMs === undefined
        ? `still ${event.status} after ${formatDuration(event.elapsedMs)}`
        : `last seen ${event.status} ${formatDuration(event.unreadMs)} ago; the control plane can't be read`;
    case "switching":
      return "DEPLOYED; waiting until the platform switches traffic to it";
    case "waiting":
      return `${event.message} (${formatDuration(event.elapsedMs)})`;
    case "deleting":
      return `deleting: ${event.status ?? "in progress"} (${formatDuration(event.elapsedMs)})`;
    case "note":
      return event.message;
    case "warning":
      return `warning: ${event.message}`;
  }
}

/** What an outcome says beside its result and duration, a line each. */
export function outcomeNotes(outcome: Outcome): string[] {
  const { result, url, content, error } = outcome;
  if (result === "interrupted") return knownOf(outcome);
  if (error !== undefined) return [error.message];
  const changes = content.length === 0 ? [] : [`${counted(content.length, "change")} on the agent server`];
  return [...(url === undefined ? [] : [url]), ...changes];
}

/** What is known of an interrupted deployment. */
function knownOf({ deploymentId, revisionId }: Outcome): string[] {
  if (deploymentId === undefined) return ["no id is known yet; the next run finds what was started"];
  return [
    `deployment ${deploymentId}`,
    ...(revisionId === undefined ? [] : [`revision ${revisionId}`]),
    "continues on the platform; the next apply follows it",
  ];
}

const order = ["created", "updated", "unchanged", "deleted", "failed", "skipped", "interrupted"] as const;

/** `Done: 2 created, 1 unchanged.` */
export function outcomesLine(outcomes: readonly Outcome[]): string {
  const counts = order
    .map((result) => [outcomes.filter((outcome) => outcome.result === result).length, result] as const)
    .filter(([count]) => count > 0)
    .map(([count, result]) => `${count} ${result}`);
  return `Done: ${counts.length === 0 ? "nothing" : counts.join(", ")}`;
}
