import { pollDelayMs } from "../../core/rollout/waiting.ts";
import { drawRollout, type Phase, type PhaseModel, seededRandom } from "./models.ts";

/** The delay before the next poll, given the last response. */
export type Policy = (state: { status: string; elapsedMs: number; random: number }) => number;

export const policies: Readonly<Record<string, Policy>> = {
  graphdeploy: pollDelayMs,
  "every 60 s": () => 60_000,
  "every 5 s": () => 5_000,
  "every 1 s": () => 1_000,
};

export interface Followed {
  /** Time from DEPLOYED until the client notices it, in milliseconds. */
  delayMs: number;
  requests: number;
  /** Length of the rollout itself, in milliseconds. */
  totalMs: number;
}

/** Follows one rollout from start to end. Responses take no time. */
export function followPhases(phases: readonly Phase[], policy: Policy, random: () => number): Followed {
  const totalMs = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  let elapsedMs = 0;
  for (let requests = 1; ; requests += 1) {
    const status = statusAt(phases, elapsedMs);
    if (status === "DEPLOYED") return { delayMs: elapsedMs - totalMs, requests, totalMs };
    elapsedMs += policy({ status, elapsedMs, random: random() });
  }
}

function statusAt(phases: readonly Phase[], elapsedMs: number): string {
  let endMs = 0;
  for (const { status, durationMs } of phases) {
    endMs += durationMs;
    if (elapsedMs < endMs) return status;
  }
  return "DEPLOYED";
}

export interface Summary {
  meanDelayMs: number;
  p95DelayMs: number;
  /** Total requests divided by total rollout time. */
  requestsPer10Minutes: number;
  requests: number;
  runs: readonly Followed[];
}

/** Follows the same seeded rollouts with one policy. */
export function simulate(model: PhaseModel, policy: Policy, { rollouts = 1_000, seed = 1 } = {}): Summary {
  const drawing = seededRandom(seed);
  const jitter = seededRandom(seed + 1);
  const runs = Array.from({ length: rollouts }, () => followPhases(drawRollout(model, drawing), policy, jitter));
  const delays = runs.map(({ delayMs }) => delayMs).sort((a, b) => a - b);
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  const totalMs = runs.reduce((sum, run) => sum + run.totalMs, 0);
  return {
    meanDelayMs: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    p95DelayMs: delays[Math.ceil(delays.length * 0.95) - 1] ?? 0,
    requestsPer10Minutes: (requests * 600_000) / totalMs,
    requests,
    runs,
  };
}
