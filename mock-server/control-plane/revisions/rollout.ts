import { type Duration, parseDuration } from "../../../core/time.ts";

/** One phase of a rollout, with its duration in milliseconds where phases follow by time. */
export interface Phase {
  status: string;
  duration: number;
}

/** The time at which a revision enters a status, in milliseconds since the epoch. */
export interface Transition {
  status: string;
  at: number;
}

/** How revisions progress: at once, when advanced, or within a duration. */
export type TransitionMode = "immediate" | "manual" | `time:${string}`;

const finalStatuses = new Set(["DEPLOYED", "SKIPPED", "INTERRUPTED"]);

/** Whether a status is final. Every status with FAILED in it is; UNKNOWN and unknown values are not. */
export function isFinal(status: string): boolean {
  return finalStatuses.has(status) || status.includes("FAILED");
}

/** Shares of the total duration of a rollout with a build. */
const builtShares = {
  CREATING: 0.04,
  QUEUED: 0.06,
  AWAITING_BUILD: 0.1,
  BUILDING: 0.45,
  AWAITING_DEPLOY: 0.1,
  DEPLOYING: 0.25,
};
const pulledShares = { CREATING: 0.1, QUEUED: 0.1, AWAITING_DEPLOY: 0.3, DEPLOYING: 0.5 };

/** The statuses of a rollout, in order. */
export const phaseNames: readonly string[] = Object.keys(builtShares);

/** The phase that each failure ends. */
const failedPhases: Record<string, string> = {
  CREATE_FAILED: "CREATING",
  BUILD_FAILED: "BUILDING",
  DEPLOY_FAILED: "DEPLOYING",
};

/** Differences of a rollout from the default schedule. */
export interface RolloutVariation {
  fail?: string | undefined;
  passThrough?: string | undefined;
  durations?: Record<string, Duration> | undefined;
}

/** Whether a source is built from code rather than pulled as an image. */
export function isBuilt(source: string): boolean {
  return source !== "external_docker" && source !== "internal_docker";
}

/** The phases of a rollout that takes `total` milliseconds and ends in DEPLOYED or the given failure. */
export function planPhases(source: string, total: number, variation: RolloutVariation = {}): Phase[] {
  const { fail, passThrough, durations = {} } = variation;
  const phases: Phase[] = [];
  const lastPhase = fail === undefined ? undefined : failedPhases[fail];
  for (const [status, share] of Object.entries(isBuilt(source) ? builtShares : pulledShares)) {
    const own = durations[status];
    phases.push({ status, duration: own === undefined ? Math.round(total * share) : parseDuration(own, "durations") });
    if (status === lastPhase) break;
  }
  if (passThrough !== undefined) {
    const own = durations[passThrough];
    phases.push({
      status: passThrough,
      duration: own === undefined ? Math.round(total * 0.1) : parseDuration(own, "durations"),
    });
  }
  phases.push({ status: fail ?? "DEPLOYED", duration: 0 });
  return phases;
}

/** The transitions from the phase at `index`, entered at `start`, up to the last phase or the `stick` status. */
export function scheduleFrom(phases: Phase[], index: number, start: number, stick: string | null): Transition[] {
  const transitions: Transition[] = [];
  let at = start;
  for (const phase of phases.slice(index)) {
    transitions.push({ status: phase.status, at });
    if (phase.status === stick) break;
    at += phase.duration;
  }
  return transitions;
}

/** The latest transition by `now`. */
export function currentTransition(transitions: Transition[], now: number): Transition {
  let current = transitions[0] as Transition;
  for (const transition of transitions) {
    if (transition.at > now) break;
    current = transition;
  }
  return current;
}

/** The transitions up to `now`, followed by `status`; later ones are dropped. */
export function endWith(transitions: Transition[], status: string, now: number): Transition[] {
  return [...transitions.filter(({ at }) => at <= now), { status, at: now }];
}

/** The time at which the revision enters `status`, past or future. */
export function timeOf(transitions: Transition[], status: string): number | undefined {
  return transitions.find((transition) => transition.status === status)?.at;
}

/** The state of a rollout that {@link advance} needs. */
export interface AdvancingRollout {
  phases: Phase[];
  transitions: Transition[];
  moves: boolean;
  stick: string | null;
}

/**
 * The transitions after an advance to the next phase, or through the phases up to the status `to`. A status outside the
 * phases is entered and kept. A rollout that moves by time continues to do so, unless it sticks at `to`. `undefined`:
 * there is no next phase.
 */
export function advance(rollout: AdvancingRollout, to: string | undefined, now: number): Transition[] | undefined {
  const { phases, transitions, moves, stick } = rollout;
  const current = currentTransition(transitions, now);
  const past = transitions.filter(({ at }) => at <= now);
  const position = phases.findLastIndex(({ status }) => status === current.status);
  if (to === undefined && (isFinal(current.status) || position + 1 >= phases.length)) return undefined;
  const target = to === undefined ? position + 1 : phases.findIndex(({ status }) => status === to);
  if (target < 0) return [...past, { status: to as string, at: now }];
  const between =
    target > position ? phases.slice(position + 1, target).map(({ status }) => ({ status, at: now })) : [];
  const onwards = scheduleFrom(phases, target, now, stick);
  return [...past, ...between, ...(moves ? onwards : onwards.slice(0, 1))];
}
