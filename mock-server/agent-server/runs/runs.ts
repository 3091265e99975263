import type { ReadOptions } from "../../kit/event-log.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import type { KeyedLocks } from "../../kit/keyed-locks.ts";
import { passesFilter } from "../../kit/metadata-filter.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { Graphs } from "../assistants/graphs.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import type { Fields } from "../engine/contract.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { RunRecord, RunStatus, ThreadRecord } from "../persistence/records.ts";
import type { CurrentProject } from "../project-settings.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { EndedRun } from "./ended-runs.ts";
import type { CancelAction, LiveRun, RunResult } from "./live-run.ts";
import type { LiveRuns } from "./live-runs.ts";
import { runKwargs, runMetadata } from "./run-kwargs.ts";
import { type RunStart, runStatus } from "./run-schemas.ts";
import type { JoinedRun } from "./run-view.ts";
import type { Webhooks } from "./webhooks.ts";

interface RunsDependencies extends Pick<AgentRuntime, "clock" | "ids" | "inBackground"> {
  /** Limited to what the caller may see. */
  state: Pick<AgentState, "runs" | "transaction">;
  records: ThreadRecords;
  assistants: Assistants;
  graphs: Graphs;
  live: LiveRuns;
  webhooks: Pick<Webhooks, "check">;
  project: CurrentProject;
  locks: KeyedLocks;
  /** What access filters ask of the metadata of threads. */
  threadFilters: readonly Fields[];
  /** The user of new runs; `null` without auth handlers. */
  user: AuthUser | null;
}

/** Options of {@link Runs.start}. */
export interface StartOptions {
  /** Headers of the request that starts the run. */
  headers?: Headers;
  /** Called with the run before it emits events. */
  beforeStart?: (live: LiveRun) => void;
  /** Whether the caller waits for the run to end. */
  isAwaited?: boolean;
  /** Called in the transaction that stores the run. */
  alongside?: () => void;
}

/** Options of {@link Runs.complete}. */
export interface CompleteOptions {
  /** Headers of the request that starts the run. */
  headers: Headers;
  signal: AbortSignal;
  /** Called with every event; `data` is JSON. */
  onEvent: (event: string, data: string) => void;
}

/** The runs that a caller may see. */
export class Runs {
  readonly #dependencies: RunsDependencies;

  constructor(dependencies: RunsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 404 when the thread doesn't have the run or, without a thread, when no such run exists. */
  find(threadId: string | undefined, runId: string): RunRecord {
    const record = this.#dependencies.state.runs.get(runId);
    if (record && (threadId === undefined || record.thread_id === threadId)) return record;
    throw new HttpError(404, `Run ${runId} not found`);
  }

  /**
   * A run to be joined, which may be one without a thread that ended a while ago.
   * @throws {HttpError} 404 as {@link find}
   */
  findToJoin(threadId: string | undefined, runId: string): JoinedRun {
    const ended = this.#dependencies.live.ended.get(runId);
    const isFound = ended && (threadId === undefined || ended.thread_id === threadId) && this.#isVisible(ended);
    return isFound ? ended : this.find(threadId, runId);
  }

  /** Drops the results of ended runs that left nothing else behind. */
  clearEnded(): void {
    this.#dependencies.live.ended.remove((run) => this.#isVisible(run));
  }

  #isVisible({ metadata }: EndedRun): boolean {
    return this.#dependencies.threadFilters.every((filter) => passesFilter(filter, metadata));
  }

  /** The runs of a thread, newest first. @throws {HttpError} 404 for an unknown thread. */
  ofThread(threadId: string, status: RunStatus | undefined, limit: number, offset: number): RunRecord[] {
    const { state, records } = this.#dependencies;
    return state.runs.ofThread(records.find(threadId).thread_id, status, limit, offset);
  }

  /**
   * A task of A2A as it is now: the run that began it and those that continued it, oldest first.
   * @throws {HttpError} 404 for a run that was deleted.
   */
  ofTask({ thread_id: threadId, run_id: runId }: RunRecord): RunRecord[] {
    return [this.find(threadId, runId), ...this.#dependencies.state.runs.continuing(threadId, runId)];
  }

  /** The tasks of an assistant that clients of A2A started, by the first run and the last: the latest change first. */
  tasks(assistantId: string, threadId?: string): { first: RunRecord; last: RunRecord }[] {
    const tasks = new Map<unknown, { first: RunRecord; last: RunRecord }>();
    for (const run of this.#dependencies.state.runs.ofTasks(assistantId, threadId)) {
      const continued = tasks.get(run.metadata.a2a_task_id);
      if (continued) continued.last = run;
      else if (run.metadata.a2a_task_id === undefined) tasks.set(run.run_id, { first: run, last: run });
    }
    return [...tasks.values()].reverse().sort((a, b) => Date.parse(b.last.updated_at) - Date.parse(a.last.updated_at));
  }

  /** A run of the caller that hasn't ended. */
  liveOf({ run_id: runId }: RunRecord): LiveRun | undefined {
    return this.#dependencies.live.get(runId);
  }

  /** Gives a run that ended with questions the status of a cancelled one: nobody will reply. */
  setCancelled({ run_id: runId }: RunRecord): void {
    const { state, live, clock } = this.#dependencies;
    state.runs.end(runId, "interrupted", timestamp(clock.now()), live.logOf(runId).replaySize);
  }

  /** The events of all runs of a thread. @throws {HttpError} 404 for an unknown thread. */
  threadStream(threadId: string, options: ReadOptions): ReadableStream<Uint8Array> {
    const { records, live } = this.#dependencies;
    return live.threadStreams.read(records.find(threadId).thread_id, options);
  }

  /**
   * Starts a run; `threadId` is absent for a stateless run.
   * @throws {HttpError} 404 for an unknown assistant or thread, 409 where the thread is busy and the strategy is
   * `reject`, or where the run would wait for itself, 422 for a webhook that isn't allowed.
   */
  async start(
    threadId: string | undefined,
    body: RunStart,
    { headers, beforeStart, isAwaited, alongside }: StartOptions,
  ): Promise<{ record: RunRecord; live: LiveRun }> {
    const { state, records, assistants, graphs, live, webhooks, locks, clock, ids, user, project } = this.#dependencies;
    if (isAwaited) this.#checkCaller(threadId, body);
    const assistant = assistants.findToRun(body.assistant_id);
    graphs.find(assistant.graph_id);
    if (body.webhook !== undefined) await webhooks.check(body.webhook);
    const headerPatterns = project.settings.configurableHeaders;
    const id = threadId ?? ids.uuid();
    const strategy = body.multitask_strategy ?? "enqueue";
    const prepare = (one: LiveRun) => {
      one.keepsResult = threadId === undefined && isAwaited === true;
      beforeStart?.(one);
    };
    return locks.run(`runs/${id}`, async () => {
      if (threadId !== undefined && body.if_not_exists !== "create") records.find(id);
      await live.makeRoom(id, strategy);
      const runId = ids.uuid();
      const record = state.transaction(() => {
        const thread = this.#threadFor(id, threadId === undefined, body);
        const parts = { body, assistant, thread, runId, threadId: id, headers, headerPatterns };
        const now = timestamp(clock.now());
        const record: RunRecord = {
          run_id: runId,
          thread_id: id,
          assistant_id: assistant.assistant_id,
          created_at: now,
          updated_at: now,
          status: "pending",
          metadata: runMetadata(parts),
          kwargs: runKwargs(parts),
          multitask_strategy: strategy,
          user,
        };
        state.runs.insert(record, body);
        live.setBusy(record);
        alongside?.();
        return record;
      });
      return { record, live: live.add(record, body, prepare) };
    });
  }

  /**
   * Runs an assistant without a thread, and waits for the result; the run is cancelled when `signal` is aborted.
   * @throws {HttpError} as {@link start}
   */
  async complete(body: RunStart, { headers, signal, onEvent }: CompleteOptions): Promise<RunResult> {
    const { live: lives, inBackground } = this.#dependencies;
    const { live } = await this.start(undefined, body, {
      headers,
      beforeStart: (live) => live.log.onPublish(onEvent),
    });
    const cancel = () => inBackground(() => lives.cancel(live.runId, "interrupt"));
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      return await live.done;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /**
   * Cancels runs and waits until they have ended.
   * @throws {HttpError} 404 for an unknown run; then none is cancelled.
   */
  async cancel(runIds: readonly string[], action: CancelAction): Promise<void> {
    const { live } = this.#dependencies;
    const chosen = runIds.map((id) => this.find(undefined, id).run_id);
    await Promise.all(chosen.map((id) => live.cancel(id, action)));
  }

  /** The ids of the runs with one of the statuses, oldest first. */
  ids(statuses: readonly RunStatus[]): string[] {
    return this.#dependencies.state.runs.ids(statuses);
  }

  /** Deletes a run, cancelling it first if it hasn't ended. @throws {HttpError} 404 for an unknown run. */
  async delete(threadId: string, runId: string): Promise<void> {
    await this.#remove(this.find(threadId, runId).run_id);
  }

  /** Deletes all visible runs. */
  async clear(): Promise<void> {
    for (const id of this.ids(runStatus.options)) await this.#remove(id);
  }

  async #remove(runId: string): Promise<void> {
    const { state, live } = this.#dependencies;
    await live.cancel(runId, "interrupt");
    state.runs.remove(runId);
  }

  /**
   * A graph that calls its own server forwards its config with the run and the thread, so the new run would wait for
   * the end of its caller.
   */
  #checkCaller(threadId: string | undefined, { config }: RunStart): void {
    const callerId = config?.configurable?.run_id;
    if (typeof callerId !== "string" || this.#dependencies.live.get(callerId)?.threadId !== threadId) return;
    throw new HttpError(
      409,
      `Run ${callerId} is in progress on thread ${threadId} and would wait for itself: call the graph on another thread, or without one.`,
    );
  }

  #threadFor(
    threadId: string,
    isTemporary: boolean,
    { if_not_exists: ifNotExists, metadata = {} }: RunStart,
  ): ThreadRecord {
    const { records } = this.#dependencies;
    if (!isTemporary && ifNotExists !== "create") return records.find(threadId);
    return records.get(threadId) ?? records.add({ thread_id: threadId, metadata });
  }
}
