import { defaultHeartbeatMs } from "./heartbeat.ts";

/** The bounds of a wait, in milliseconds. */
export interface RolloutLimits {
  /** Until DEPLOYED. @default 1800 s, the reference client's */
  timeoutMs: number;
  /** How long INTERRUPTED, or a revision that can't be found, is taken for transient. @default 120 s */
  graceMs: number;
  /** From DEPLOYED until the platform must have switched traffic. @default 60 s */
  switchMs: number;
  /** The longest silence between two signs of life. @default 30 s */
  heartbeatMs: number;
}

export const defaultRolloutLimits: RolloutLimits = {
  timeoutMs: 1_800_000,
  graceMs: 120_000,
  switchMs: 60_000,
  heartbeatMs: defaultHeartbeatMs,
};

/** The limits of one wait: those given, and the defaults for the others. */
export function rolloutLimits(given: Partial<RolloutLimits> = {}): RolloutLimits {
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...defaultRolloutLimits, ...defined };
}
