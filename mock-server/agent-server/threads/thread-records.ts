import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { ThreadRecord, ThreadTtl } from "../persistence/records.ts";
import type { ThreadTable } from "../persistence/thread-table.ts";
import type { CurrentProject } from "../project-settings.ts";
import type { ThreadExpiry } from "./thread-expiry.ts";
import type { threadCreate } from "./thread-schemas.ts";

interface ThreadRecordsDependencies extends Pick<AgentRuntime, "clock"> {
  /** Limited to what the caller may see. */
  threads: ThreadTable;
  expiry: Pick<ThreadExpiry, "expireAt">;
  project: CurrentProject;
}

/** The stored threads that a caller may see. A time to live starts again with each change of the thread. */
export class ThreadRecords {
  readonly #dependencies: ThreadRecordsDependencies;

  constructor(dependencies: ThreadRecordsDependencies) {
    this.#dependencies = dependencies;
  }

  get(threadId: string): ThreadRecord | undefined {
    return this.#dependencies.threads.get(threadId);
  }

  /** @throws {HttpError} 404 for an unknown thread. */
  find(threadId: string): ThreadRecord {
    const found = this.get(threadId);
    if (!found) throw new HttpError(404, `Thread with ID ${threadId} not found`);
    return found;
  }

  /**
   * Adds a thread without a state, by default with the project's time to live.
   * @throws {HttpError} 409 for an id in use, even by a hidden thread.
   */
  add({
    ttl = this.ttlFrom(undefined),
    ...thread
  }: Pick<ThreadRecord, "thread_id" | "metadata"> & { ttl?: ThreadTtl | null }): ThreadRecord {
    const { threads, clock } = this.#dependencies;
    const now = timestamp(clock.now());
    const record: ThreadRecord = {
      ...thread,
      created_at: now,
      updated_at: now,
      state_updated_at: now,
      config: {},
      status: "idle",
      values: null,
      interrupts: {},
      error: null,
      ttl,
    };
    if (!threads.insert(record)) throw threadInUse(thread.thread_id);
    this.scheduleExpiry(record);
    return record;
  }

  /** Has a thread with a time to live expire at its end. */
  scheduleExpiry({ ttl }: Pick<ThreadRecord, "ttl">): void {
    if (ttl) this.#dependencies.expiry.expireAt(ttl.expires_at);
  }

  /** Changes a thread and postpones its expiry. Returns `undefined` for a deleted thread. */
  change(threadId: string, change: (thread: ThreadRecord) => Partial<ThreadRecord>): ThreadRecord | undefined {
    const { threads, clock } = this.#dependencies;
    const before = threads.get(threadId);
    if (!before) return undefined;
    const changes = { updated_at: timestamp(clock.now()), ttl: before.ttl, ...change(before) };
    if (changes.ttl) changes.ttl = this.#timeToLive(changes.ttl.strategy, changes.ttl.ttl_minutes);
    const after = threads.update(threadId, changes);
    if (after) this.scheduleExpiry(after);
    return after;
  }

  /** Reads a time to live as clients send it; what it lacks is the project's. */
  ttlFrom(input: z.output<typeof threadCreate>["ttl"]): ThreadTtl | null {
    const byDefault = this.#dependencies.project.settings.threadTtl;
    const given = typeof input === "number" ? { strategy: "delete" as const, ttl: input } : input;
    const minutes = given?.ttl ?? byDefault?.minutes ?? null;
    if (minutes === null) return null;
    return this.#timeToLive(given?.strategy ?? byDefault?.strategy ?? "delete", minutes);
  }

  #timeToLive(strategy: ThreadTtl["strategy"], minutes: number): ThreadTtl {
    const expires = timestamp(this.#dependencies.clock.now() + minutes * 60_000);
    return { strategy, ttl_minutes: minutes, expires_at: expires };
  }
}

export function threadInUse(threadId: string): HttpError {
  return new HttpError(409, `Thread ${threadId} exists already.`);
}
