import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { findAssistant } from "../assistants/assistant-model.ts";
import type { Fields } from "../engine/contract.ts";
import type { CronRecord } from "../persistence/records.ts";
import { runCreateStateful } from "../runs/run-schemas.ts";
import { findThread } from "../threads/thread-model.ts";
import type { cronCreate, cronPatch, threadCronCreate } from "./cron-schemas.ts";
import { nextTime } from "./schedule.ts";

type Creation = z.output<typeof cronCreate> | z.output<typeof threadCronCreate>;

/** @throws {HttpError} 404 when there is no such schedule. */
export function findCron(host: AgentHost, cronId: string): CronRecord {
  const record = host.state.crons.get(cronId);
  if (!record) throw new HttpError(404, `Cron ${cronId} not found`);
  return record;
}

/** The schedules of an agent server, which start runs at their times by its clock. */
export class CronService {
  readonly #host: AgentHost;
  readonly #alarms = new Map<string, () => void>();

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /**
   * Makes a schedule for who sees the server as `host` has it.
   * @throws {HttpError} 404 for an unknown assistant or thread, 422 for a schedule that can't be read.
   */
  create(threadId: string | null, body: Creation, host: AgentHost): CronRecord {
    const { assistant_id: assistantId } = findAssistant(host, body.assistant_id);
    if (threadId !== null) findThread(host, threadId);
    const {
      schedule,
      timezone = null,
      end_time: endTime = null,
      enabled,
      metadata,
      assistant_id: _,
      ...payload
    } = body;
    const now = host.timestamp();
    const record: CronRecord = {
      cron_id: host.ids.uuid(),
      assistant_id: assistantId,
      thread_id: threadId,
      on_run_completed: "on_run_completed" in body ? body.on_run_completed : null,
      end_time: endTime,
      schedule,
      timezone,
      created_at: now,
      updated_at: now,
      user_id: host.caller?.user.identity ?? null,
      payload: { ...payload, assistant_id: assistantId },
      next_run_date: nextTime(schedule, timezone, host.clock.now(), endTime) ?? null,
      metadata: metadata ?? {},
      enabled,
      user: host.caller?.user ?? null,
    };
    this.#host.state.crons.insert(record);
    this.#schedule(record);
    return record;
  }

  /** Changes what is given and leaves the rest. */
  patch(before: CronRecord, patch: z.output<typeof cronPatch>): CronRecord {
    const {
      schedule,
      timezone,
      end_time: endTime,
      enabled,
      metadata,
      on_run_completed: onRunCompleted,
      ...payload
    } = patch;
    const changed = {
      ...before,
      schedule: schedule ?? before.schedule,
      timezone: timezone ?? before.timezone,
      end_time: endTime === undefined ? before.end_time : endTime,
      enabled: enabled ?? before.enabled,
      metadata: { ...before.metadata, ...metadata },
      on_run_completed: onRunCompleted ?? before.on_run_completed,
      payload: { ...before.payload, ...payload, ...(onRunCompleted ? { on_run_completed: onRunCompleted } : {}) },
      updated_at: this.#host.timestamp(),
    };
    const record: CronRecord = {
      ...changed,
      next_run_date: nextTime(changed.schedule, changed.timezone, this.#host.clock.now(), changed.end_time) ?? null,
    };
    this.#host.state.crons.update(record);
    this.#schedule(record);
    return record;
  }

  remove(cronId: string): void {
    this.#alarms.get(cronId)?.();
    this.#alarms.delete(cronId);
    this.#host.state.crons.remove(cronId);
  }

  /** Continues with the schedules that an earlier server left. One whose time came meanwhile fires once, now. */
  restore(): void {
    for (const record of this.#host.state.crons.all({ enabled: true })) this.#schedule(record);
  }

  #schedule(record: CronRecord): void {
    this.#alarms.get(record.cron_id)?.();
    this.#alarms.delete(record.cron_id);
    if (!record.enabled || record.next_run_date === null) return;
    const cancel = this.#host.alarms.set(Date.parse(record.next_run_date), () => {
      this.#host.inBackground(() => this.#fire(record.cron_id));
    });
    this.#alarms.set(record.cron_id, cancel);
  }

  /** A time that was missed, because the clock went on by more than one of them, isn't made up for. */
  #moveOn(cronId: string): void {
    const { state, clock } = this.#host;
    const record = state.crons.get(cronId);
    if (!record) return;
    const { schedule, timezone, end_time: endTime } = record;
    const next = { ...record, next_run_date: nextTime(schedule, timezone, clock.now(), endTime) ?? null };
    state.crons.update(next);
    this.#schedule(next);
  }

  /** The schedule moves on in the transaction that starts its run, so that it fires once whenever the server ends. */
  async #fire(cronId: string): Promise<void> {
    const host = this.#host;
    const record = host.state.crons.get(cronId);
    if (!record?.enabled) return;
    const { on_run_completed: onRunCompleted, ...payload } = record.payload;
    const body = runCreateStateful.parse({
      ...payload,
      metadata: { ...record.metadata, cron_id: cronId } satisfies Fields,
    });
    const completion =
      record.thread_id === null ? { on_completion: (onRunCompleted ?? "delete") as "delete" | "keep" } : {};
    const caller = record.user ? { user: record.user, copiedMetadata: {} } : null;
    try {
      await host.runs.start(
        record.thread_id ?? undefined,
        { ...body, ...completion },
        { as: { ...host, caller }, alongside: () => this.#moveOn(cronId) },
      );
    } catch (error) {
      this.#moveOn(cronId);
      throw error;
    }
  }
}
