import { type Phase, planPhases, scheduleFrom, type Transition } from "./rollout.ts";

/** The course of a rollout that nothing departs from. */
export interface UsualCourse {
  phases: Phase[];
  transitions: Transition[];
}

/** How many sources and totals are kept: a server goes by one total until its settings are changed. */
const mostPlans = 100;

const phasesByPlan = new Map<string, Phase[]>();
let latest: (UsualCourse & { start: number }) | undefined;

/**
 * The course of a rollout of `source` that begins at `start` and takes `total` milliseconds. Revisions of the same moment share one course: stored values are never changed, and
 * thousands of equal ones would have to be made and kept.
 */
export function usualCourse(source: string, total: number, start: number): UsualCourse {
  const plan = `${source} ${total}`;
  let phases = phasesByPlan.get(plan);
  if (!phases) {
    if (phasesByPlan.size >= mostPlans) phasesByPlan.clear();
    phases = planPhases(source, total);
    phasesByPlan.set(plan, phases);
  }
  if (latest?.phases !== phases || latest.start !== start) {
    latest = { phases, start, transitions: scheduleFrom(phases, 0, start, null) };
  }
  return latest;
}
