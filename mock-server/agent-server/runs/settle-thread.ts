import type { AgentRuntime } from "../agent-runtime.ts";
import { GraphError } from "../engine/contract.ts";
import type { RunRecord } from "../persistence/records.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import { type ShownState, shownState, type ThreadStates } from "../threads/thread-states.ts";
import { type LiveRun, RunCancelled, type RunResult } from "./live-run.ts";

interface SettlementDependencies extends Pick<AgentRuntime, "onDefect"> {
  records: ThreadRecords;
  states: ThreadStates;
}

/** The state of the thread after a run; partial where the state can't be read. */
export async function stateLeft(
  { records, states, onDefect }: SettlementDependencies,
  { threadId, user }: Pick<LiveRun, "threadId"> & Pick<RunRecord, "user">,
  result: RunResult,
): Promise<Partial<ShownState>> {
  if (result.kind === "success" && !result.interrupts) {
    return { values: result.values, interrupts: {}, status: "idle" };
  }
  if (!records.get(threadId)) return {};
  try {
    return shownState(await states.read(threadId, {}, { user }));
  } catch (error) {
    // The graph may have been removed, or fail to load or to read its states: the thread keeps its last known state.
    if (!(error instanceof GraphError)) onDefect(error);
    return result.kind === "success" ? { status: "interrupted" } : {};
  }
}

/**
 * The status of the thread after a run. A run cancelled while in progress leaves it idle; a rolled-back one leaves its
 * earlier status.
 */
export function statusAfter(
  result: RunResult,
  { status = "idle" }: Partial<ShownState>,
  { startedAt, abort: { signal } }: LiveRun,
): ShownState["status"] {
  if (result.kind === "error") return "error";
  if (result.kind === "success" || startedAt === undefined) return status;
  return signal.reason instanceof RunCancelled && signal.reason.action === "rollback" ? status : "idle";
}
