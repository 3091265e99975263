import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Fields } from "../engine/contract.ts";
import type { RunRecord } from "../persistence/records.ts";

/** A run as it is sent: without what is known of its user, which may hold tokens. */
export function viewRun({ user: _, ...record }: RunRecord): Fields {
  return record;
}

/** @throws {HttpError} 404 when the thread has no such run; without a thread, when there is none at all. */
export function findRun(host: AgentHost, threadId: string | undefined, runId: string): RunRecord {
  const record = host.state.runs.get(runId);
  if (record && (threadId === undefined || record.thread_id === threadId)) return record;
  throw new HttpError(404, `Run ${runId} not found`);
}
