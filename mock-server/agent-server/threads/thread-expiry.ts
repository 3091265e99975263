import type { AgentRuntime } from "../agent-runtime.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { ThreadTable } from "../persistence/thread-table.ts";

interface ThreadExpiryDependencies extends Pick<AgentRuntime, "alarms" | "clock" | "inBackground"> {
  /** Not limited by access filters. */
  threads: ThreadTable;
  /** Deletes or prunes a thread, or postpones that. */
  expire(thread: ThreadRecord): Promise<void>;
}

/** Expires threads at the end of their time to live, by the server's clock. */
export class ThreadExpiry {
  readonly #dependencies: ThreadExpiryDependencies;
  /** Time of the next check, in milliseconds since the epoch. */
  #next = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(dependencies: ThreadExpiryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Expires the threads that are due, also since the last server ended, and then each thread at its time. */
  async restore(): Promise<void> {
    const { threads, clock, expire } = this.#dependencies;
    this.#next = Number.POSITIVE_INFINITY;
    for (const thread of threads.expired(clock.now())) await expire(thread);
    const next = threads.nextExpiry();
    if (next !== undefined) this.#lookAt(next);
  }

  /** Schedules a check at `time` (ISO 8601), unless one comes earlier. */
  expireAt(time: string): void {
    this.#lookAt(Date.parse(time));
  }

  #lookAt(time: number): void {
    const { alarms, inBackground } = this.#dependencies;
    if (time >= this.#next) return;
    this.#cancel();
    this.#next = time;
    this.#cancel = alarms.set(time, () => inBackground(() => this.restore()));
  }
}
