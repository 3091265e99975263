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
  /** As the caller may see it. */
  state: Pick<AgentState, "threads" | "checkpoints" | "transaction">;
  records: ThreadRecords;
  updates: StateUpdates;
  states: ThreadStates;
  runs: Pick<LiveRuns, "isBusy" | "deleteThread">;
  /** What the auth handlers add to the metadata of threads that the caller copies. */
  copiedMetadata: Fields;
}

/** The threads that a caller may see. */
export class Threads {
  readonly #dependencies: ThreadsDependencies;

  constructor(dependencies: ThreadsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 404 when there is no such thread. */
  find(threadId: string): ThreadRecord {
    return this.#dependencies.records.find(threadId);
  }

  search(filter: ThreadFilter, order: ThreadOrder, limit: number, offset: number): Page<ThreadRecord> {
    return this.#dependencies.state.threads.search(filter, order, limit, offset);
  }

  count(filter: ThreadFilter): number {
    return this.#dependencies.state.threads.count(filter);
  }

  /** @throws {HttpError} 409 for an id in use, unless that is to be ignored; 422 for supersteps that don't fit the graph. */
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

  /** Merges the metadata and sets the time to live. @throws {HttpError} 404 when there is no such thread. */
  patch(threadId: string, { metadata, ttl }: z.output<typeof threadPatch>): ThreadRecord {
    const { records } = this.#dependencies;
    const changed = records.change(threadId, (thread) => ({
      metadata: { ...thread.metadata, ...metadata },
      ...(ttl === undefined ? {} : { ttl: records.ttlFrom(ttl) }),
    }));
    return changed ?? records.find(threadId);
  }

  /** @throws {HttpError} 404 when there is no such thread. */
  async delete(threadId: string): Promise<void> {
    await this.#dependencies.runs.deleteThread(this.find(threadId).thread_id);
  }

  /** A new thread with the state and the history of another. @throws {HttpError} 404 when there is no such thread. */
  async copy(threadId: string): Promise<ThreadRecord> {
    const { state, states, clock, ids, copiedMetadata } = this.#dependencies;
    const source = this.find(threadId);
    // A thread at rest tells the status of its state already.
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
      ttl: null,
    };
    state.transaction(() => {
      state.threads.insert(copy);
      state.checkpoints.copy(threadId, copyId);
    });
    return copy;
  }

  /** Deletes a thread, or all of it but its last state. False when there is no such thread. */
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

  /** Prunes a thread whose time to live is over, unless a run is under way, which puts that off. */
  async expire({ thread_id: threadId, ttl }: ThreadRecord): Promise<void> {
    const { records, runs } = this.#dependencies;
    if (runs.isBusy(threadId)) records.change(threadId, () => ({}));
    else if (ttl) await this.prune(threadId, ttl.strategy);
  }

  /** Deletes all of them. */
  async clear(): Promise<void> {
    const { state, runs } = this.#dependencies;
    for (const id of state.threads.ids()) await runs.deleteThread(id);
  }

  /** Removes the states of all of them. */
  clearStates(): void {
    const { state } = this.#dependencies;
    for (const id of state.threads.ids()) state.checkpoints.clear(id);
  }
}
