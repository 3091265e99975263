import type { AgentRuntime } from "../agent-runtime.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { ThreadTable } from "../persistence/thread-table.ts";

interface ThreadExpiryDependencies extends Pick<AgentRuntime, "alarms" | "clock" | "inBackground"> {
  /** All of them. */
  threads: ThreadTable;
  /** Ends a thread's time, or puts that off. */
  expire(thread: ThreadRecord): Promise<void>;
}

/** Notices, by the clock, the threads whose time to live is over. */
export class ThreadExpiry {
  readonly #dependencies: ThreadExpiryDependencies;
  /** When it looks next, in milliseconds since the epoch. */
  #next = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(dependencies: ThreadExpiryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Expires what is due, such as what became so while no server ran, and from then on each thread at its time. */
  async restore(): Promise<void> {
    const { threads, clock, expire } = this.#dependencies;
    this.#next = Number.POSITIVE_INFINITY;
    for (const thread of threads.expired(clock.now())) await expire(thread);
    const next = threads.nextExpiry();
    if (next !== undefined) this.#lookAt(next);
  }

  /** Looks at a time (ISO 8601) at the latest. */
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
