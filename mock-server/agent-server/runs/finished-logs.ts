import type { EventLog } from "./event-log.ts";

/** How many characters of ended runs' events are kept in all. */
const mostKept = 32 * 1024 * 1024;
const mostRuns = 1000;

/** The events of resumable runs that have ended, the latest of them. */
export class FinishedLogs {
  readonly #logs = new Map<string, EventLog>();
  #size = 0;

  add(runId: string, log: EventLog): void {
    this.#logs.set(runId, log);
    this.#size += log.keptSize;
    for (const [oldest, { keptSize }] of this.#logs) {
      if (this.#size <= mostKept && this.#logs.size <= mostRuns) return;
      this.#logs.delete(oldest);
      this.#size -= keptSize;
    }
  }

  get(runId: string): EventLog | undefined {
    return this.#logs.get(runId);
  }
}
