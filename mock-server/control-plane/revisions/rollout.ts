import { type Duration, parseDuration } from "../../../core/duration.ts";

/** One step of a rollout and how long it lasts, in milliseconds, where it moves by time. */
export interface Phase {
  status: string;
  duration: number;
}

/** The moment at which a revision takes a status, in milliseconds since the epoch. */
export interface Transition {
  status: string;
  at: number;
}

/** How revisions move: at once, by hand, or within a time. */
export type TransitionMode = "immediate" | "manual" | `time:${string}`;

const finalStatuses = new Set(["DEPLOYED", "SKIPPED", "INTERRUPTED"]);

/** Whether a revision of this status moves no more. Every status that says FAILED is final; UNKNOWN and values never seen are not. */
export function isFinal(status: string): boolean {
  return finalStatuses.has(status) || status.includes("FAILED");
}

/** Shares of the total time of a rollout that builds. A build takes the longest by far. */
const builtShares = {
  CREATING: 0.04,
  QUEUED: 0.06,
  AWAITING_BUILD: 0.1,
  BUILDING: 0.45,
  AWAITING_DEPLOY: 0.1,
  DEPLOYING: 0.25,
};
const pulledShares = { CREATING: 0.1, QUEUED: 0.1, AWAITING_DEPLOY: 0.3, DEPLOYING: 0.5 };

/** The statuses that rollouts go through. */
export const phaseNames: readonly string[] = Object.keys(builtShares);

/** Which phase a failure ends. */
const failedPhases: Record<string, string> = {
  CREATE_FAILED: "CREATING",
  BUILD_FAILED: "BUILDING",
  DEPLOY_FAILED: "DEPLOYING",
};

/** How one rollout departs from the default schedule. */
export interface RolloutVariation {
  fail?: string | undefined;
  passThrough?: string | undefined;
  durations?: Record<string, Duration> | undefined;
}

/** Whether a source is built from code (rather than pulled as an image). */
export function isBuilt(source: string): boolean {
  return source !== "external_docker" && source !== "internal_docker";
}

/** The phases of a rollout of `source` that takes `total` milliseconds, ending in DEPLOYED or the failure asked for. */
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

/** The transitions through `phases` from the one at `index` on, which is entered at `start`; nothing follows the `stick` status. */
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

/** The transition a revision has made last. */
export function currentTransition(transitions: Transition[], now: number): Transition {
  let current = transitions[0] as Transition;
  for (const transition of transitions) {
    if (transition.at > now) break;
    current = transition;
  }
  return current;
}

/** `transitions` as they stand now, ended by `status`: what was still to come never happens. */
export function endWith(transitions: Transition[], status: string, now: number): Transition[] {
  return [...transitions.filter(({ at }) => at <= now), { status, at: now }];
}

/** When the revision enters `status`, past or to come. */
export function timeOf(transitions: Transition[], status: string): number | undefined {
  return transitions.find((transition) => transition.status === status)?.at;
}

/** What {@link advance} moves. */
export interface AdvancingRollout {
  phases: Phase[];
  transitions: Transition[];
  moves: boolean;
  stick: string | null;
}

/**
 * The transitions after moving on now: to the next phase, or to the status `to`, through the phases between. A status outside the phases
 * is entered and stays. What moves by time goes on moving, unless it was made to stick at `to`. `undefined`: there is nothing to move on to.
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
