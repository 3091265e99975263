import type { LogEntry } from "./wire/logs.ts";

/** What happens while a deployment is brought to its desired state; every text in it is redacted. */
export type ProgressEvent =
  /** The id of a deployment is known: recorded before anything else can fail. */
  | { type: "deployment"; deploymentId: string; created: boolean }
  /** A revision is being followed. */
  | { type: "revision"; deploymentId: string; revisionId: string; webUrl: string | undefined }
  /** Its status changed; `elapsedMs` since the wait began, `previousMs` in the status before. */
  | {
      type: "status";
      revisionId: string;
      status: string;
      previous: string | undefined;
      elapsedMs: number;
      previousMs: number;
    }
  /** Nothing changed for a while. */
  | { type: "heartbeat"; revisionId: string; status: string; elapsedMs: number }
  /** The revision is DEPLOYED, and the platform hasn't switched traffic to it yet. */
  | { type: "switching"; revisionId: string }
  /** Still waiting for what has no revision yet. */
  | { type: "waiting"; message: string; elapsedMs: number }
  | { type: "deleting"; deploymentId: string; status: string | undefined; elapsedMs: number }
  | { type: "log"; revisionId: string; entries: readonly LogEntry[] }
  | { type: "note"; message: string }
  | { type: "warning"; message: string };

export type OnProgress = (event: ProgressEvent) => void;
