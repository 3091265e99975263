import type { RevisionStatus } from "../client/wire/revisions.ts";
import type { Clock } from "../time.ts";

/** The most time between two progress events of a wait, in milliseconds. */
export const defaultHeartbeatMs = 30_000;

/** The limits of a wait, in milliseconds. */
export interface RolloutLimits {
  /** Until the revision is DEPLOYED. @default 1800 s, as in the service's own client */
  timeoutMs: number;
  /** How long INTERRUPTED, or a revision that can't be found, counts as transient. @default 120 s */
  graceMs: number;
  /** From DEPLOYED until the traffic must have been switched. @default 60 s */
  switchMs: number;
  /** The most time between two progress events. @default 30 s */
  heartbeatMs: number;
}

export const defaultRolloutLimits: RolloutLimits = {
  timeoutMs: 1_800_000,
  graceMs: 120_000,
  switchMs: 60_000,
  heartbeatMs: defaultHeartbeatMs,
};

/** Time for the response to the poll at the deadline of a wait, in milliseconds. */
export const lastPollMs = 5_000;

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
  | { type: "note"; message: string }
  | { type: "warning"; message: string };

/** How long one status lasted, in milliseconds; `startedAtMs` since the epoch. */
export interface StatusSpan {
  status: string;
  startedAtMs: number;
  durationMs: number;
}

export type OnProgress = (event: ProgressEvent) => void;

/** Options of everything that waits. */
export interface StepOptions {
  /** Ends the wait with {@link Aborted}; what the platform has started continues. */
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

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

/** What the next delay depends on. */
export interface PollState {
  status: RevisionStatus;
  /** Since the first poll of the rollout, in milliseconds. */
  elapsedMs: number;
  /** A number in [0, 1) for the jitter. */
  random: number;
}

/** Limits of the delay before jitter, in milliseconds. */
export const pollBounds = {
  /** While the revision is queued or built. */
  building: { minMs: 2_500, maxMs: 60_000 },
  /** While the rollout may end at any moment, so that a late poll means a late result. */
  ending: { minMs: 1_000, maxMs: 6_000 },
} as const;

/**
 * The delay during a build, as a share of the time so far. A deploy follows the build, so a late poll doesn't delay the
 * result.
 */
const buildingShare = 0.2;

/**
 * Near the end, the delay is this times the square root of the time so far, both in seconds. Over rollouts of all
 * lengths this balances time against requests best: half the delay is lost on average, while the end phase, which grows
 * with the rollout, takes its length divided by the delay in requests.
 */
const endingFactor = 0.35;

const endingStatuses: ReadonlySet<string> = new Set(["AWAITING_DEPLOY", "DEPLOYING", "INTERRUPTED", "UNKNOWN"]);

/**
 * The delay before the next poll, in milliseconds: short where rollouts usually end, longer during a long build, with
 * 10 % of jitter so that clients don't poll all at once. Pure. `bench/polling` compares it with fixed intervals.
 */
export function pollDelayMs({ status, elapsedMs, random }: PollState): number {
  const isEnding = endingStatuses.has(status);
  const { minMs, maxMs } = isEnding ? pollBounds.ending : pollBounds.building;
  const wanted = isEnding ? endingFactor * Math.sqrt(elapsedMs / 1_000) * 1_000 : buildingShare * elapsedMs;
  return Math.min(Math.max(wanted, minMs), maxMs) * (0.9 + 0.2 * random);
}
