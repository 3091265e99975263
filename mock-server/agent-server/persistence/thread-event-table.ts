import type { Frame } from "../../kit/log-reader.ts";
import type { Database } from "../../kit/store/database.ts";

/** Maximum number of characters of all threads' stored events, and maximum number of threads with events. */
const maxSize = 32 * 1024 * 1024;
const maxThreads = 1000;

/** The stored events of a thread. */
export interface StoredEvents {
  frames: Frame[];
  /** The number of the last event, which may have been dropped. */
  lastNumber: number;
}

/** The events of the threads of an agent server, as the streaming protocol has them. */
export class ThreadEventTable {
  readonly #database: Database;
  readonly #agent: number;
  readonly #now: () => number;

  constructor(database: Database, agent: number, now: () => number) {
    this.#database = database;
    this.#agent = agent;
    this.#now = now;
  }

  of(threadId: string): StoredEvents {
    const lastNumber = this.lastNumber(threadId);
    if (lastNumber === 0) return { frames: [], lastNumber };
    const frames = this.#database.all<Frame & object>(
      "SELECT number, mode, text FROM thread_events WHERE agent = ? AND thread_id = ? ORDER BY number",
      this.#agent,
      threadId,
    );
    return { frames, lastNumber };
  }

  /** The number of a thread's last event; 0 without one. */
  lastNumber(threadId: string): number {
    const log = this.#database.get<{ last_number: number }>(
      "SELECT last_number FROM thread_event_logs WHERE agent = ? AND thread_id = ?",
      this.#agent,
      threadId,
    );
    return log?.last_number ?? 0;
  }

  /**
   * Stores further events, and drops those before number `oldest`; `size` is the number of characters of all that are
   * left. Stores nothing for a thread that has been deleted.
   */
  append(threadId: string, frames: readonly Frame[], oldest: number, size: number): void {
    this.#database.transaction(() => {
      const stored = this.#database.get(
        `INSERT INTO thread_event_logs (agent, thread_id, last_number, size, updated_at)
          SELECT agent, thread_id, ?, ?, ? FROM threads WHERE agent = ? AND thread_id = ?
          ON CONFLICT (agent, thread_id) DO UPDATE
            SET last_number = excluded.last_number, size = excluded.size, updated_at = excluded.updated_at
          RETURNING thread_id`,
        frames.at(-1)?.number ?? 0,
        size,
        this.#now(),
        this.#agent,
        threadId,
      );
      if (!stored) return;
      for (const { number, mode, text } of frames) {
        this.#database.run(
          "INSERT INTO thread_events (agent, thread_id, number, mode, text) VALUES (?, ?, ?, ?, ?)",
          this.#agent,
          threadId,
          number,
          mode,
          text,
        );
      }
      this.#database.run(
        "DELETE FROM thread_events WHERE agent = ? AND thread_id = ? AND number < ?",
        this.#agent,
        threadId,
        oldest,
      );
    });
  }

  /**
   * Drops the events of the threads whose last one is oldest while the limits are exceeded. The last one itself stays,
   * the end of a run as a rule: whoever comes later sees that it has ended, instead of nothing.
   */
  trim(): void {
    const trimmed = this.#database.all<{ thread_id: string }>(
      `SELECT thread_id FROM (
        SELECT thread_id, sum(size) OVER newer AS size, count(*) OVER newer AS threads
          FROM thread_event_logs WHERE agent = ? AND size > 0 WINDOW newer AS (ORDER BY updated_at DESC, sequence DESC)
      ) WHERE size > ? OR threads > ?`,
      this.#agent,
      maxSize,
      maxThreads,
    );
    for (const { thread_id: id } of trimmed) {
      this.#database.run(
        "DELETE FROM thread_events WHERE agent = ? AND thread_id = ? AND number < ?",
        this.#agent,
        id,
        this.lastNumber(id),
      );
      this.#database.run("UPDATE thread_event_logs SET size = 0 WHERE agent = ? AND thread_id = ?", this.#agent, id);
    }
  }
}
