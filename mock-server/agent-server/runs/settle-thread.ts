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

/** The state in which a run leaves its thread; without what can't be read of it. */
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
    // The graph may be gone, or unable to read its states, or not be made for them: the thread keeps what was known of it.
    if (!(error instanceof GraphError)) onDefect(error);
    return result.kind === "success" ? { status: "interrupted" } : {};
  }
}

/** The status in which a run leaves its thread. One that is cancelled while it is under way leaves it idle, unless all that it did is undone. */
export function statusAfter(
  result: RunResult,
  { status = "idle" }: Partial<ShownState>,
  { startedAt, abort: { signal } }: LiveRun,
): ShownState["status"] {
  if (result.kind === "error") return "error";
  if (result.kind === "success" || startedAt === undefined) return status;
  return signal.reason instanceof RunCancelled && signal.reason.action === "rollback" ? status : "idle";
}
