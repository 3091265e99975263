import type { AgentHost } from "../agent-host.ts";
import type { Interrupt, StateSnapshot } from "../engine/contract.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import { changeThread } from "../threads/thread-model.ts";
import { stateOf } from "../threads/thread-state.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** The state in which a run leaves its thread; without what can't be read of it. */
export type StateLeft = Partial<Pick<ThreadRecord, "values" | "interrupts">>;

/** Brings a thread to where a run has left it. */
export function settleThread(host: AgentHost, live: LiveRun, result: RunResult, left: StateLeft): void {
  const isBusy = host.runs.isBusy(live.threadId);
  changeThread(host, live.threadId, () => ({
    status: isBusy ? "busy" : statusAfter(result, Object.values(left.interrupts ?? {}), live.startedAt !== undefined),
    ...left,
    error: result.kind === "error" ? result.error : null,
    state_updated_at: host.timestamp(),
  }));
}

/** Reads the state in which a run leaves its thread. */
export async function readStateLeft(host: AgentHost, live: LiveRun, result: RunResult): Promise<StateLeft> {
  if (result.kind === "success" && !result.interrupts) return { values: result.values, interrupts: {} };
  const thread = host.state.threads.get(live.threadId);
  if (!thread) return {};
  let state: StateSnapshot;
  try {
    state = await stateOf(host, thread, {}, false);
  } catch (error) {
    // The graph may be gone, or unable to read its states: the thread keeps what was known of it.
    host.onDefect(error);
    return {};
  }
  const pending = state.tasks.filter((task) => task.result === null && state.next.includes(task.name));
  return {
    values: state.checkpoint === null ? null : state.values,
    interrupts: Object.fromEntries(pending.map((task) => [task.id, task.interrupts])),
  };
}

/** A run that never began leaves the thread waiting for what it waited for. `pending` has what each task that is yet to run asks. */
function statusAfter(result: RunResult, pending: Interrupt[][], hasStarted: boolean): ThreadRecord["status"] {
  if (result.kind === "error") return "error";
  if (result.kind === "success") return pending.length > 0 ? "interrupted" : "idle";
  return !hasStarted && pending.some((interrupts) => interrupts.length > 0) ? "interrupted" : "idle";
}
