import type { AgentRuntime } from "../agent-runtime.ts";
import type { ThreadRecord } from "../persistence/records.ts";
import type { ThreadTable } from "../persistence/thread-table.ts";
import type { CurrentProject } from "../project-settings.ts";
import { sweepAfter } from "../sweeps.ts";

interface ThreadExpiryDependencies extends Pick<AgentRuntime, "alarms" | "clock" | "inBackground"> {
  /** Not limited by access filters. */
  threads: ThreadTable;
  project: CurrentProject;
  /** Deletes or prunes a thread, or postpones that. */
  expire(thread: ThreadRecord): Promise<void>;
}

/** Expires threads at the end of their time to live, or at the sweep after it, by the server's clock. */
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
    const { threads, clock, expire, project } = this.#dependencies;
    this.#next = Number.POSITIVE_INFINITY;
    const due = threads.expired(clock.now());
    const limit = project.settings.threadTtl?.sweepLimit ?? due.length;
    for (const thread of due.slice(0, limit)) await expire(thread);
    const next = threads.nextExpiry();
    // Those over the limit wait for the next sweep.
    if (next !== undefined) this.#lookAt(due.length > limit ? clock.now() + 1 : next);
  }

  /** Schedules a check at `time` (ISO 8601), unless one comes earlier. */
  expireAt(time: string): void {
    this.#lookAt(Date.parse(time));
  }

  #lookAt(expiry: number): void {
    const { alarms, inBackground, project } = this.#dependencies;
    const time = sweepAfter(expiry, project.settings.threadTtl?.sweepMinutes ?? null);
    if (time >= this.#next) return;
    this.#cancel();
    this.#next = time;
    this.#cancel = alarms.set(time, () => inBackground(() => this.restore()));
  }
}
