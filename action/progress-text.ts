import type { ProgressEvent } from "../core/rollout/waiting.ts";
import { formatDuration } from "../core/time.ts";

/** A progress event as a line of the log; `undefined` for one that has none. */
export function progressText(event: ProgressEvent): string | undefined {
  switch (event.type) {
    case "revision":
      return `Following revision ${event.revisionId}${event.webUrl === undefined ? "" : `: ${event.webUrl}`}`;
    case "status":
      return `${event.status} (${formatDuration(event.elapsedMs)})`;
    case "heartbeat":
      if (event.unreadMs === undefined) return `Still ${event.status} after ${formatDuration(event.elapsedMs)}.`;
      return `Last seen ${event.status} ${formatDuration(event.unreadMs)} ago; the control plane can't be read.`;
    case "waiting":
      return `${event.message} (${formatDuration(event.elapsedMs)})`;
    case "switching":
      return "DEPLOYED; waiting until the platform switches traffic to it.";
    case "deleting":
      return `Deleting: ${event.status ?? "in progress"} (${formatDuration(event.elapsedMs)}).`;
    case "note":
    case "warning":
      return event.message;
    case "deployment":
      return undefined;
  }
}
