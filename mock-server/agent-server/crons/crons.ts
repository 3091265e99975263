import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import type { CronFilter, CronOrder, CronTable } from "../persistence/cron-table.ts";
import type { Page } from "../persistence/page.ts";
import type { CronRecord } from "../persistence/records.ts";
import { type RunStart, runCreateStateful } from "../runs/run-schemas.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { cronCreate, cronPatch, threadCronCreate } from "./cron-schemas.ts";
import type { CronTimer } from "./cron-timer.ts";
import { nextTime } from "./schedule.ts";

interface CronsDependencies extends Pick<AgentRuntime, "clock" | "ids"> {
  /** Limited to what the caller may see. */
  crons: CronTable;
  records: ThreadRecords;
  assistants: Assistants;
  timer: CronTimer;
  /** The owner of new schedules; `null` without auth handlers. */
  user: AuthUser | null;
}

/** The schedules that a caller may see. */
export class Crons {
  readonly #dependencies: CronsDependencies;

  constructor(dependencies: CronsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 404 for an unknown schedule. */
  find(cronId: string): CronRecord {
    const record = this.#dependencies.crons.get(cronId);
    if (!record) throw new HttpError(404, `Cron ${cronId} not found`);
    return record;
  }

  search(filter: CronFilter, order: CronOrder, limit: number, offset: number): Page<CronRecord> {
    return this.#dependencies.crons.search(withLowerIds(filter), order, limit, offset);
  }

  count(filter: CronFilter): number {
    return this.#dependencies.crons.count(withLowerIds(filter));
  }

  /** @throws {HttpError} 404 for an unknown assistant or thread, 422 for an invalid schedule. */
  create(threadId: string | null, body: z.output<typeof cronCreate> | z.output<typeof threadCronCreate>): CronRecord {
    const { crons, records, assistants, timer, clock, ids, user } = this.#dependencies;
    const { assistant_id: assistantId } = assistants.findToRun(body.assistant_id);
    if (threadId !== null) records.find(threadId);
    const { schedule, timezone = null, end_time = null, enabled, metadata = {}, ...payload } = body;
    const now = timestamp(clock.now());
    const record: CronRecord = {
      cron_id: ids.uuid(),
      assistant_id: assistantId,
      thread_id: threadId,
      on_run_completed: "on_run_completed" in body ? body.on_run_completed : null,
      end_time,
      schedule,
      timezone,
      created_at: now,
      updated_at: now,
      user_id: user?.identity ?? null,
      payload: { ...payload, assistant_id: assistantId },
      next_run_date: nextTime({ schedule, timezone, end_time }, clock.now()),
      metadata,
      enabled,
      user,
    };
    crons.insert(record);
    timer.set(record);
    return record;
  }

  /** Changes the given fields. @throws {HttpError} 404 for an unknown schedule, 422 for an invalid one. */
  patch(cronId: string, patch: z.output<typeof cronPatch>): CronRecord {
    const { crons, timer, clock } = this.#dependencies;
    const before = this.find(cronId);
    const { schedule, timezone, end_time, enabled, metadata, ...payload } = patch;
    const changed = {
      ...before,
      schedule: schedule ?? before.schedule,
      timezone: timezone ?? before.timezone,
      end_time: end_time === undefined ? before.end_time : end_time,
      enabled: enabled ?? before.enabled,
      metadata: { ...before.metadata, ...metadata },
      on_run_completed: payload.on_run_completed ?? before.on_run_completed,
      payload: { ...before.payload, ...payload },
      updated_at: timestamp(clock.now()),
    };
    const record = { ...changed, next_run_date: nextTime(changed, clock.now()) };
    crons.update(record);
    timer.set(record);
    return record;
  }

  /** @throws {HttpError} 404 for an unknown schedule. */
  delete(cronId: string): void {
    this.#dependencies.timer.remove(this.find(cronId).cron_id);
  }
}

/** The parameters of a schedule's runs. */
export function runOf({ cron_id: cronId, thread_id: threadId, payload, metadata }: CronRecord): RunStart {
  const { on_run_completed: onCompletion, ...rest } = payload;
  const start = runCreateStateful.parse({ ...rest, metadata: { ...metadata, cron_id: cronId } });
  if (threadId !== null) return start;
  return { ...start, on_completion: (onCompletion ?? "delete") as "delete" | "keep" };
}

/** The filter with lower-case ids, as they are stored. */
function withLowerIds(filter: CronFilter): CronFilter {
  return {
    ...filter,
    assistant_id: filter.assistant_id?.toLowerCase(),
    thread_id: filter.thread_id?.toLowerCase(),
  };
}
