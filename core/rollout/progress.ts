import type { LogEntry } from "../client/wire/revisions.ts";
import type { Clock } from "../time.ts";

/** What happens during a reconciliation or a deletion. Every text is redacted. */
export type ProgressEvent =
  /** The deployment's id is known, before anything else can fail. */
  | { type: "deployment"; deploymentId: string; created: boolean }
  /** A revision is being followed. */
  | { type: "revision"; deploymentId: string; revisionId: string; webUrl: string | undefined }
  /** The revision's status changed; `elapsedMs` since the wait began, `previousMs` in the previous status. */
  | {
      type: "status";
      revisionId: string;
      status: string;
      previous: string | undefined;
      elapsedMs: number;
      previousMs: number;
    }
  /** No change was seen for a while; `elapsedMs` since the wait began. `unreadMs` during an outage: since the last read. */
  | { type: "heartbeat"; revisionId: string; status: string; elapsedMs: number; unreadMs?: number }
  /** The revision is DEPLOYED, but the platform hasn't switched the traffic to it yet. */
  | { type: "switching"; revisionId: string }
  /** Still waiting for something that has no revision yet. */
  | { type: "waiting"; message: string; elapsedMs: number }
  | { type: "deleting"; deploymentId: string; status: string | undefined; elapsedMs: number }
  | { type: "log"; revisionId: string; entries: readonly LogEntry[] }
  | { type: "note"; message: string }
  | { type: "warning"; message: string };

export type OnProgress = (event: ProgressEvent) => void;

/** Options of everything that waits. */
export interface StepOptions {
  /** Ends the wait with {@link Aborted}; what the platform has started continues. */
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** The most time between two progress events of a wait, in milliseconds. */
export const defaultHeartbeatMs = 30_000;

/**
 * Calls `beat` whenever nothing else was reported for `intervalMs` milliseconds, even while a request hangs, is retried
 * or waits for a rate limit. Stops on dispose.
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

  /** Restarts the interval, after something else was reported. */
  restart(): void {
    this.#stop();
    this.#stop = this.#clock.every(this.#intervalMs, this.#beat);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
