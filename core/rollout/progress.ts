import type { LogEntry } from "../client/wire/revisions.ts";
import type { Clock } from "../clock.ts";

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

/** Options of everything that waits. */
export interface StepOptions {
  /** Ends the wait with {@link Aborted}; what was begun on the platform continues. */
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** The longest silence of a wait, in milliseconds. */
export const defaultHeartbeatMs = 30_000;

/**
 * Reports that a wait continues whenever nothing else was reported for `intervalMs`: also while a request hangs, is retried or is held back by a
 * rate limit. Ends with `Symbol.dispose`.
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #beat: () => void;
  #stop: () => void;

  constructor(clock: Clock, intervalMs: number, beat: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#beat = beat;
    this.#stop = clock.every(intervalMs, beat);
  }

  /** Something else was reported just now: the next silence begins. */
  restart(): void {
    this.#stop();
    this.#stop = this.#clock.every(this.#intervalMs, this.#beat);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
