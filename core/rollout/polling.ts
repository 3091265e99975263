import type { RevisionStatus } from "../client/wire/revisions.ts";
import { defaultHeartbeatMs } from "./progress.ts";

/** The bounds of a wait, in milliseconds. */
export interface RolloutLimits {
  /** Until DEPLOYED. @default 1800 s, the reference client's */
  timeoutMs: number;
  /** How long INTERRUPTED, or a revision that can't be found, counts as transient. @default 120 s */
  graceMs: number;
  /** From DEPLOYED until the platform must have switched traffic. @default 60 s */
  switchMs: number;
  /** The longest silence between two progress events. @default 30 s */
  heartbeatMs: number;
}

export const defaultRolloutLimits: RolloutLimits = {
  timeoutMs: 1_800_000,
  graceMs: 120_000,
  switchMs: 60_000,
  heartbeatMs: defaultHeartbeatMs,
};

/** What the next delay depends on. */
export interface PollState {
  status: RevisionStatus;
  /** Since the first poll of the rollout, in milliseconds. */
  elapsedMs: number;
  /** In [0, 1), for the jitter. */
  random: number;
}

/** Bounds of the delay before its jitter, in milliseconds. */
export const pollBounds = {
  /** While it is queued or built. */
  building: { minMs: 2_500, maxMs: 60_000 },
  /** Where a rollout may end at any moment, so that a late poll is a late result. */
  ending: { minMs: 1_000, maxMs: 6_000 },
} as const;

/** A build that took this long will take some more: a share of it can pass without a poll, since a deploy follows before the end. */
const buildingShare = 0.2;

/**
 * Near the end the delay grows with the square root of the time so far, in seconds. Among rollouts of all lengths that is the best trade of
 * waiting for requests: half the delay is lost on average, and the end phase, which grows with the whole, costs its length over the delay.
 */
const endingFactor = 0.35;

const endingStatuses: ReadonlySet<string> = new Set(["AWAITING_DEPLOY", "DEPLOYING", "INTERRUPTED", "UNKNOWN"]);

/**
 * How long to wait before the next poll, in milliseconds: short where rollouts usually end, longer during a long build, with 10 % of jitter
 * so that many waiting clients don't poll at once. Pure. `bench/polling` compares its cost and benefit with fixed intervals.
 */
export function pollDelayMs({ status, elapsedMs, random }: PollState): number {
  const isEnding = endingStatuses.has(status);
  const { minMs, maxMs } = isEnding ? pollBounds.ending : pollBounds.building;
  const wanted = isEnding ? endingFactor * Math.sqrt(elapsedMs / 1_000) * 1_000 : buildingShare * elapsedMs;
  return Math.min(Math.max(wanted, minMs), maxMs) * (0.9 + 0.2 * random);
}

/** For the response to the poll that is sent at the deadline of a wait, in milliseconds. */
export const lastPollMs = 5_000;
