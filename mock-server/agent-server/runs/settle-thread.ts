import type { AgentHost } from "../agent-host.ts";
import { pendingTasks } from "../engine/checkpoint.ts";
import type { Task } from "../engine/graph.ts";
import type { ThreadRecord } from "../state/records.ts";
import { changeThread } from "../threads/thread-model.ts";
import { checkpointsOf } from "../threads/thread-state.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** Brings a thread to where a run has left it. */
export async function settleThread(host: AgentHost, live: LiveRun, result: RunResult): Promise<void> {
  const [latest] = await checkpointsOf(host, live.threadId);
  const pending = latest ? pendingTasks(latest) : [];
  const isBusy = host.runs.isBusy(live.threadId);
  await changeThread(host, live.threadId, () => ({
    status: isBusy ? "busy" : statusAfter(result, pending, live.startedAt !== undefined),
    values: latest?.values ?? null,
    interrupts: Object.fromEntries(pending.map((task) => [task.id, task.interrupts])),
    error: result.kind === "error" ? result.error : null,
    state_updated_at: host.timestamp(),
  }));
}

/** A run that never began leaves the thread waiting for what it waited for. */
function statusAfter(result: RunResult, pending: readonly Task[], hasStarted: boolean): ThreadRecord["status"] {
  if (result.kind === "error") return "error";
  if (result.kind === "success") return pending.length > 0 ? "interrupted" : "idle";
  return !hasStarted && pending.some(({ interrupts }) => interrupts.length > 0) ? "interrupted" : "idle";
}
