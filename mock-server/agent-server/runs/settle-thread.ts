import type { AgentRuntime } from "../agent-runtime.ts";
import { GraphError } from "../engine/contract.ts";
import type { RunRecord, ThreadRecord } from "../persistence/records.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { ThreadStates } from "../threads/thread-states.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** What a run leaves of its thread's state; without what can't be read of it. */
type StateLeft = Partial<Pick<ThreadRecord, "values" | "interrupts">>;

interface SettlementDependencies extends Pick<AgentRuntime, "onDefect"> {
  records: ThreadRecords;
  states: ThreadStates;
}

/** Reads the state in which a run leaves its thread. */
export async function stateLeft(
  { records, states, onDefect }: SettlementDependencies,
  { threadId, user }: Pick<LiveRun, "threadId"> & Pick<RunRecord, "user">,
  result: RunResult,
): Promise<StateLeft> {
  if (result.kind === "success" && !result.interrupts) return { values: result.values, interrupts: {} };
  if (!records.get(threadId)) return {};
  try {
    const { tasks, next, checkpoint, values } = await states.read(threadId, {}, { user });
    const pending = tasks.filter((task) => task.result === null && next.includes(task.name));
    return {
      values: checkpoint === null ? null : values,
      interrupts: Object.fromEntries(pending.map((task) => [task.id, task.interrupts])),
    };
  } catch (error) {
    // The graph may be gone, or unable to read its states, or not be made for them: the thread keeps what was known of it.
    if (!(error instanceof GraphError)) onDefect(error);
    return {};
  }
}

/** The status in which a run leaves its thread. One that never began leaves the thread waiting for what it waited for. */
export function statusAfter(result: RunResult, { interrupts = {} }: StateLeft, live: LiveRun): ThreadRecord["status"] {
  if (result.kind === "error") return "error";
  const pending = Object.values(interrupts);
  if (result.kind === "success") return pending.length > 0 ? "interrupted" : "idle";
  return live.startedAt === undefined && pending.some((one) => one.length > 0) ? "interrupted" : "idle";
}
