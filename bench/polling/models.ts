/** A status and how long it lasts, in milliseconds. */
export interface Phase {
  status: string;
  durationMs: number;
}

/** How the phases divide a rollout: DEPLOYING takes a share within bounds, the rest is split in fixed proportions. */
export interface PhaseModel {
  name: string;
  /** The smallest and largest share of DEPLOYING; drawn uniformly. */
  deploying: readonly [least: number, greatest: number];
}

/** Proportions of the time outside DEPLOYING. A build takes most of it; the queues are short. */
export const restShares = {
  CREATING: 0.05,
  QUEUED: 0.05,
  AWAITING_BUILD: 0.05,
  BUILDING: 0.8,
  AWAITING_DEPLOY: 0.05,
} as const;

export const models: readonly PhaseModel[] = [
  { name: "short deploy (5–15 %)", deploying: [0.05, 0.15] },
  { name: "long deploy (10–35 %)", deploying: [0.1, 0.35] },
];

const minRolloutMs = 20_000;
const maxRolloutMs = 1_800_000;

/** A rollout of 20 s to 30 min (log-uniform) with the timeline that `model` describes; `random` is in [0, 1). */
export function drawRollout(model: PhaseModel, random: () => number): Phase[] {
  const totalMs = minRolloutMs * (maxRolloutMs / minRolloutMs) ** random();
  const [least, greatest] = model.deploying;
  const deploying = least + (greatest - least) * random();
  const rest = Object.entries(restShares).map(([status, share]) => ({
    status,
    durationMs: totalMs * (1 - deploying) * share,
  }));
  return [...rest, { status: "DEPLOYING", durationMs: totalMs * deploying }];
}

/** A seeded random number generator (mulberry32) with the same output on every platform. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
