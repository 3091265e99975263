import type { AgentRuntime } from "../agent-runtime.ts";
import type { CronFilter, CronTable } from "../persistence/cron-table.ts";
import type { CronRecord } from "../persistence/records.ts";
import { nextTime } from "./schedule.ts";

interface CronTimerDependencies extends Pick<AgentRuntime, "alarms" | "clock" | "inBackground"> {
  /** Not limited by access filters. */
  crons: CronTable;
  /** Starts the run of a schedule; calls `alongside` in the transaction that stores the run. */
  startRun(cron: CronRecord, alongside: () => void): Promise<void>;
}

/** Fires the schedules of an agent server, by its clock. */
export class CronTimer {
  readonly #dependencies: CronTimerDependencies;
  readonly #alarms = new Map<string, () => void>();

  constructor(dependencies: CronTimerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sets the alarms of stored schedules. A schedule that came due while no server ran fires once, now. */
  restore(): void {
    for (const record of this.#dependencies.crons.all({ enabled: true })) this.set(record);
  }

  /** Sets the alarm of a new or changed schedule. */
  set({ cron_id: cronId, enabled, next_run_date: next }: CronRecord): void {
    const { alarms, inBackground } = this.#dependencies;
    this.#cancel(cronId);
    if (!enabled || next === null) return;
    this.#alarms.set(
      cronId,
      alarms.set(Date.parse(next), () => inBackground(() => this.#fire(cronId))),
    );
  }

  /** Removes matching schedules, regardless of access filters. */
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

  /**
   * Starts the run and advances the schedule in one transaction, so that it fires exactly once even if the server is
   * killed.
   */
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

  /** Advances to the next time after now. Times that the clock skipped aren't made up for. */
  #moveOn(cronId: string): void {
    const { crons, clock } = this.#dependencies;
    const record = crons.get(cronId);
    if (!record) return;
    const next = { ...record, next_run_date: nextTime(record, clock.now()) };
    crons.update(next);
    this.set(next);
  }
}
