import type { AgentRuntime } from "../agent-runtime.ts";
import type { CronFilter, CronTable } from "../persistence/cron-table.ts";
import type { CronRecord } from "../persistence/records.ts";
import { nextTime } from "./schedule.ts";

interface CronTimerDependencies extends Pick<AgentRuntime, "alarms" | "clock" | "inBackground"> {
  /** All of them. */
  crons: CronTable;
  /** Starts the run of a schedule. `alongside` is called in the transaction that adds it. */
  startRun(cron: CronRecord, alongside: () => void): Promise<void>;
}

/** Fires the schedules of an agent server at their times, by its clock. */
export class CronTimer {
  readonly #dependencies: CronTimerDependencies;
  readonly #alarms = new Map<string, () => void>();

  constructor(dependencies: CronTimerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Continues with the schedules that an earlier server left. One whose time came meanwhile fires once, now. */
  restore(): void {
    for (const record of this.#dependencies.crons.all({ enabled: true })) this.set(record);
  }

  /** Sets the alarm of a schedule that is new or has changed. */
  set({ cron_id: cronId, enabled, next_run_date: next }: CronRecord): void {
    const { alarms, inBackground } = this.#dependencies;
    this.#cancel(cronId);
    if (!enabled || next === null) return;
    this.#alarms.set(
      cronId,
      alarms.set(Date.parse(next), () => inBackground(() => this.#fire(cronId))),
    );
  }

  /** Removes schedules, whoever may see them. */
  removeAll(filter: CronFilter): void {
    for (const { cron_id: cronId } of this.#dependencies.crons.all(filter)) this.remove(cronId);
  }

  remove(cronId: string): void {
    this.#cancel(cronId);
    this.#dependencies.crons.remove(cronId);
  }

  #cancel(cronId: string): void {
    this.#alarms.get(cronId)?.();
    this.#alarms.delete(cronId);
  }

  /** The schedule moves on in the transaction that starts its run, so that it fires once whenever the server ends. */
  async #fire(cronId: string): Promise<void> {
    const { crons, startRun } = this.#dependencies;
    const record = crons.get(cronId);
    if (!record?.enabled) return;
    try {
      await startRun(record, () => this.#moveOn(cronId));
    } catch (error) {
      this.#moveOn(cronId);
      throw error;
    }
  }

  /** A time that was missed, because the clock went on by more than one of them, isn't made up for. */
  #moveOn(cronId: string): void {
    const { crons, clock } = this.#dependencies;
    const record = crons.get(cronId);
    if (!record) return;
    const next = { ...record, next_run_date: nextTime(record, clock.now()) };
    crons.update(next);
    this.set(next);
  }
}
