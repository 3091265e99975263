import type { AgentLogLevel } from "../../kit/agent-log.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { Fields } from "../engine/contract.ts";
import type { RunRecord } from "../persistence/records.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** A run as clients see it: without the user, who may have tokens. */
export function viewRun({ user: _, ...record }: RunRecord): Fields {
  return record;
}

/** The body of a webhook for a run that ended `now`, in milliseconds since the epoch. */
export function webhookBody(record: RunRecord, live: LiveRun, result: RunResult, now: number): Fields {
  return {
    ...viewRun(record),
    run_started_at: live.startedAt ?? null,
    run_ended_at: record.updated_at,
    webhook_sent_at: timestamp(now),
    values: result.kind === "success" ? result.values : {},
    ...(result.kind === "error" ? { error: result.error } : {}),
  };
}

/** The log entry for a run that ended `now`, in milliseconds since the epoch. */
export function endLine({ runId, startedAt }: LiveRun, result: RunResult, now: number): [AgentLogLevel, string] {
  if (result.kind === "error") {
    const { error, place } = result;
    return ["ERROR", `Run ${runId} failed: ${error.error}: ${error.message}${place}`];
  }
  if (result.kind === "cancelled") return ["WARNING", `Run ${runId} was cancelled.`];
  const took = startedAt === undefined ? 0 : now - Date.parse(startedAt);
  return ["INFO", `Run ${runId} ${result.interrupts ? "was interrupted" : "succeeded"} after ${took} ms.`];
}

/** What names a run that is joined. */
export type JoinedRun = Pick<RunRecord, "run_id" | "thread_id">;

/** What a response that waited for a run has as its body. */
export function resultBody(result: Exclude<RunResult, { kind: "cancelled" }>): object {
  if (result.kind === "error") return { __error__: result.error };
  return result.interrupts?.length ? { __interrupt__: result.interrupts } : result.values;
}
