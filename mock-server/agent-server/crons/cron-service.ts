import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { findAssistant } from "../assistants/assistant-model.ts";
import type { Fields } from "../engine/graph.ts";
import { runCreateStateful } from "../runs/run-schemas.ts";
import type { CronRecord } from "../state/records.ts";
import { findThread } from "../threads/thread-model.ts";
import type { cronCreate, cronPatch, threadCronCreate } from "./cron-schemas.ts";
import { nextTime } from "./schedule.ts";

type Creation = z.output<typeof cronCreate> | z.output<typeof threadCronCreate>;

/** @throws {HttpError} 404 when there is no such schedule. */
export async function findCron(host: AgentHost, cronId: string): Promise<CronRecord> {
  const record = await host.state.crons.get(cronId);
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
  async create(threadId: string | null, body: Creation, host: AgentHost): Promise<CronRecord> {
    const { assistant_id: assistantId } = await findAssistant(host, body.assistant_id);
    if (threadId !== null) await findThread(host, threadId);
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
      sequence: host.state.nextSequence(),
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
    await this.#put(record);
    return record;
  }

  /** Changes what is given and leaves the rest. */
  async patch(before: CronRecord, patch: z.output<typeof cronPatch>): Promise<CronRecord> {
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
    await this.#put(record);
    return record;
  }

  /** Whether there was such a schedule. */
  async remove(cronId: string): Promise<boolean> {
    this.#alarms.get(cronId)?.();
    this.#alarms.delete(cronId);
    return this.#host.state.crons.remove(cronId);
  }

  async #put(record: CronRecord): Promise<void> {
    await this.#host.state.crons.put(record);
    this.#alarms.get(record.cron_id)?.();
    this.#alarms.delete(record.cron_id);
    if (!record.enabled || record.next_run_date === null) return;
    const cancel = this.#host.alarms.set(Date.parse(record.next_run_date), () => {
      this.#host.inBackground(() => this.#fire(record.cron_id));
    });
    this.#alarms.set(record.cron_id, cancel);
  }

  /** A time that was missed, because the clock went on by more than one of them, isn't made up for. */
  async #fire(cronId: string): Promise<void> {
    const host = this.#host;
    const record = await host.state.crons.get(cronId);
    if (!record?.enabled) return;
    const next = nextTime(record.schedule, record.timezone, host.clock.now(), record.end_time) ?? null;
    await this.#put({ ...record, next_run_date: next });
    const { on_run_completed: onRunCompleted, ...payload } = record.payload;
    const body = runCreateStateful.parse({
      ...payload,
      metadata: { ...record.metadata, cron_id: cronId } satisfies Fields,
    });
    const completion =
      record.thread_id === null ? { on_completion: (onRunCompleted ?? "delete") as "delete" | "keep" } : {};
    const caller = record.user ? { user: record.user, copiedMetadata: {} } : null;
    await host.runs.start(record.thread_id ?? undefined, { ...body, ...completion }, { as: { ...host, caller } });
  }
}
