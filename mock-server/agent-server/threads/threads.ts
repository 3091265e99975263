import type { z } from "zod";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import { commandOf, type Fields } from "../engine/contract.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { Page } from "../persistence/page.ts";
import type { ThreadRecord, ThreadTtl } from "../persistence/records.ts";
import type { ThreadFilter, ThreadOrder } from "../persistence/thread-search.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import type { StateUpdates } from "./state-updates.ts";
import { type ThreadRecords, threadInUse } from "./thread-records.ts";
import type { threadCreate, threadPatch } from "./thread-schemas.ts";
import { shownState, type ThreadStates } from "./thread-states.ts";

interface ThreadsDependencies extends Pick<AgentRuntime, "clock" | "ids"> {
  /** Limited to what the caller may see. */
  state: Pick<AgentState, "threads" | "checkpoints" | "transaction">;
  records: ThreadRecords;
  updates: StateUpdates;
  states: ThreadStates;
  runs: Pick<LiveRuns, "isBusy" | "deleteThread">;
  /** Metadata that the auth handlers add to copied threads. */
  copiedMetadata: Fields;
}

/** The threads that a caller may see. */
export class Threads {
  readonly #dependencies: ThreadsDependencies;

  constructor(dependencies: ThreadsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 404 for an unknown thread. */
  find(threadId: string): ThreadRecord {
    return this.#dependencies.records.find(threadId);
  }

  search(filter: ThreadFilter, order: ThreadOrder, limit: number, offset: number): Page<ThreadRecord> {
    return this.#dependencies.state.threads.search(filter, order, limit, offset);
  }

  count(filter: ThreadFilter): number {
    return this.#dependencies.state.threads.count(filter);
  }

  /**
   * @throws {HttpError} 409 for an id in use, unless `if_exists` is `do_nothing`; 422 for supersteps that don't fit the
   * graph.
   */
  async create(body: z.output<typeof threadCreate>): Promise<ThreadRecord> {
    const { state, records, updates, ids } = this.#dependencies;
    const givenId = body.thread_id?.toLowerCase();
    const existing = givenId === undefined ? undefined : records.get(givenId);
    if (existing && body.if_exists === "do_nothing") return existing;
    if (existing) throw threadInUse(existing.thread_id);
    const threadId = givenId ?? ids.uuid();
    const thread = { thread_id: threadId, metadata: body.metadata ?? {}, ttl: records.ttlFrom(body.ttl) };
    const supersteps = body.supersteps?.map(({ updates }) =>
      updates.map(({ values, command, as_node: asNode }) => ({ values, asNode, command: commandOf(command) })),
    );
    const update = supersteps && (await updates.prepare(thread, {}, supersteps));
    return state.transaction(() => {
      const added = records.add(thread);
      return update?.keep() ?? added;
    });
  }

  /** Merges the metadata and sets the time to live. @throws {HttpError} 404 for an unknown thread. */
  patch(threadId: string, { metadata, ttl }: z.output<typeof threadPatch>): ThreadRecord {
    const { records } = this.#dependencies;
    const changed = records.change(threadId, (thread) => ({
      metadata: { ...thread.metadata, ...metadata },
      ...(ttl === undefined ? {} : { ttl: records.ttlFrom(ttl) }),
    }));
    return changed ?? records.find(threadId);
  }

  /** Deletes a thread, cancelling its runs. @throws {HttpError} 404 for an unknown thread. */
  async delete(threadId: string): Promise<void> {
    await this.#dependencies.runs.deleteThread(this.find(threadId).thread_id);
  }

  /** Copies a thread with its state and history. @throws {HttpError} 404 for an unknown thread. */
  async copy(threadId: string): Promise<ThreadRecord> {
    const { state, records, states, clock, ids, copiedMetadata } = this.#dependencies;
    const source = this.find(threadId);
    // The status of an idle or interrupted thread is that of its state already.
    const isAtRest = source.status === "idle" || source.status === "interrupted";
    const shown = isAtRest ? {} : shownState(await states.read(threadId, {}));
    const copyId = ids.uuid();
    const now = timestamp(clock.now());
    const copy: ThreadRecord = {
      ...source,
      thread_id: copyId,
      created_at: now,
      updated_at: now,
      state_updated_at: now,
      metadata: { ...source.metadata, ...copiedMetadata, thread_id: copyId },
      ...shown,
      error: null,
      ttl: records.ttlFrom(undefined),
    };
    state.transaction(() => {
      state.threads.insert(copy);
      state.checkpoints.copy(threadId, copyId);
    });
    records.scheduleExpiry(copy);
    return copy;
  }

  /** Deletes a thread, or all of its states but the last. False for an unknown thread. */
  async prune(threadId: string, strategy: ThreadTtl["strategy"]): Promise<boolean> {
    const { state, records, runs } = this.#dependencies;
    if (!records.get(threadId)) return false;
    if (strategy === "delete") {
      await runs.deleteThread(threadId);
      return true;
    }
    state.transaction(() => {
      state.checkpoints.keepLatest(threadId);
      state.threads.update(threadId, { ttl: null });
    });
    return true;
  }

  /** Prunes an expired thread, unless a run is in progress, which postpones that. */
  async expire({ thread_id: threadId, ttl }: ThreadRecord): Promise<void> {
    const { records, runs } = this.#dependencies;
    if (runs.isBusy(threadId)) records.change(threadId, () => ({}));
    else if (ttl) await this.prune(threadId, ttl.strategy);
  }

  /** Deletes all visible threads. */
  async clear(): Promise<void> {
    const { state, runs } = this.#dependencies;
    for (const id of state.threads.ids()) await runs.deleteThread(id);
  }

  /** Removes the states of all visible threads. */
  clearStates(): void {
    const { state } = this.#dependencies;
    for (const id of state.threads.ids()) state.checkpoints.clear(id);
  }
}
