import type { StateSnapshot } from "../engine/contract.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** What a run leaves of its thread's state; without what can't be read of it. */
export type StateLeft = Partial<Pick<ThreadRecord, "values" | "interrupts">>;

/** What a thread keeps of a state that a run has left. */
export function leftIn(state: StateSnapshot): StateLeft {
  const pending = state.tasks.filter((task) => task.result === null && state.next.includes(task.name));
  return {
    values: state.checkpoint === null ? null : state.values,
    interrupts: Object.fromEntries(pending.map((task) => [task.id, task.interrupts])),
  };
}

/** The status in which a run leaves its thread. One that never began leaves the thread waiting for what it waited for. */
export function statusAfter(result: RunResult, { interrupts = {} }: StateLeft, live: LiveRun): ThreadRecord["status"] {
  if (result.kind === "error") return "error";
  const pending = Object.values(interrupts);
  if (result.kind === "success") return pending.length > 0 ? "interrupted" : "idle";
  return live.startedAt === undefined && pending.some((one) => one.length > 0) ? "interrupted" : "idle";
}
