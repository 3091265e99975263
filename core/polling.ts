import type { RevisionStatus } from "./wire/revision.ts";

/** What the next delay depends on. */
export interface PollState {
  status: RevisionStatus;
  /** Since the rollout was first asked about, in milliseconds. */
  elapsedMs: number;
  /** In [0, 1), for the jitter. */
  random: number;
}

interface Pace {
  /** The delay as a share of the time that the rollout has taken so far: what took long goes on for long. */
  share: number;
  shortestMs: number;
  longestMs: number;
}

const buildPace: Pace = { share: 0.06, shortestMs: 2_000, longestMs: 20_000 };
/** Rollouts end here, so a late look is a late answer. */
const deployPace: Pace = { share: 0.02, shortestMs: 1_000, longestMs: 6_000 };

const paces: Readonly<Record<string, Pace>> = {
  AWAITING_DEPLOY: deployPace,
  DEPLOYING: deployPace,
  DEPLOYED: deployPace,
};

/**
 * How long to wait before asking again, in milliseconds: short where rollouts usually end, longer during a long build, with 10 % of jitter
 * so that many waiting clients don't ask at once. Pure. `bench/polling` shows what it costs and gives beside fixed intervals.
 */
export function pollDelayMs({ status, elapsedMs, random }: PollState): number {
  const { share, shortestMs, longestMs } = paces[status] ?? buildPace;
  const delay = Math.min(Math.max(elapsedMs * share, shortestMs), longestMs);
  return delay * (0.9 + 0.2 * random);
}
