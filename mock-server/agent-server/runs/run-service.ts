import { EventLog } from "../../kit/event-log.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { findAssistant, findGraph } from "../assistants/assistant-model.ts";
import type { RunError, RunRecord, ThreadRecord } from "../persistence/records.ts";
import { addThread, changeThread, findThread, newThread } from "../threads/thread-model.ts";
import { executeRun } from "./execute-run.ts";
import { type CancelAction, LiveRun, RunCancelled, type RunResult, runError } from "./live-run.ts";
import { runKwargs, runMetadata } from "./run-kwargs.ts";
import { RunQueue } from "./run-queue.ts";
import type { RunStart } from "./run-schemas.ts";
import { readStateLeft, settleThread } from "./settle-thread.ts";
import { ThreadStreams } from "./thread-streams.ts";
import { checkWebhook, deliverWebhook, webhookBody } from "./webhook.ts";

/** What the stream of a run says that was under way when its server ended. */
const interruption: RunError = {
  error: "RunInterrupted",
  message: "The server ended while the run was under way.",
};

/** How a run is started. */
export interface StartOptions {
  headers?: Headers;
  /** The server as the caller sees it. */
  as: AgentHost;
  /** Called with the run before it can tell anything. */
  beforeStart?: (live: LiveRun) => void;
  /** Called in the transaction that adds the run. */
  alongside?: () => void;
}

/** The runs of an agent server: who starts, waits for, follows and cancels them. */
export class RunService {
  readonly queue: RunQueue<LiveRun>;
  readonly threadStreams: ThreadStreams;
  readonly #host: AgentHost;
  readonly #live = new Map<string, LiveRun>();
  readonly #liveByThread = new Map<string, Set<LiveRun>>();
  #isClosed = false;

  constructor(host: AgentHost, workers: number) {
    this.#host = host;
    this.queue = new RunQueue(workers, (live) => this.#work(live));
    this.threadStreams = new ThreadStreams(host);
  }

  /** Whether a run of the thread is under way or waits. */
  isBusy(threadId: string): boolean {
    return this.#liveByThread.has(threadId);
  }

  /**
   * Starts a run; `threadId` is absent for one that leaves nothing behind.
   * @throws {HttpError} 404 for an unknown assistant or thread, 409 where the thread is busy and the strategy is `reject`, 422 for a webhook that isn't allowed.
   */
  async start(
    threadId: string | undefined,
    body: RunStart,
    { headers, as: seen, beforeStart, alongside }: StartOptions,
  ): Promise<{ record: RunRecord; live: LiveRun }> {
    const host = this.#host;
    const assistant = findAssistant(seen, body.assistant_id);
    findGraph(host, assistant.graph_id);
    if (body.webhook !== undefined) await checkWebhook(host, body.webhook);
    const id = threadId ?? host.ids.uuid();
    return host.locks.run(`runs/${id}`, async () => {
      if (threadId !== undefined && body.if_not_exists !== "create") findThread(seen, id);
      await this.#makeRoom(id, body.multitask_strategy ?? "enqueue");
      const runId = host.ids.uuid();
      const record = host.state.transaction(() => {
        const thread = this.#threadFor(seen, id, threadId === undefined, body);
        const parts = { body, assistant, thread, runId, threadId: id, headers };
        const now = host.timestamp();
        const record: RunRecord = {
          run_id: runId,
          thread_id: id,
          assistant_id: assistant.assistant_id,
          created_at: now,
          updated_at: now,
          status: "pending",
          metadata: runMetadata(parts),
          kwargs: runKwargs(parts),
          multitask_strategy: body.multitask_strategy ?? "enqueue",
          user: seen.caller?.user ?? null,
        };
        host.state.runs.insert(record, body);
        changeThread(host, id, ({ metadata }) => ({
          status: "busy",
          metadata: { ...metadata, graph_id: assistant.graph_id, assistant_id: assistant.assistant_id },
        }));
        alongside?.();
        return record;
      });
      const live = this.#remember(record, body);
      beforeStart?.(live);
      this.#enqueue(live, record);
      return { record, live };
    });
  }

  /**
   * Continues with the runs that an earlier server left: those that wait get their turns in their order, and those that were under way have been interrupted,
   * which their streams say.
   */
  async restore(): Promise<void> {
    for (const webhook of this.#host.state.webhooks.all()) deliverWebhook(this.#host, webhook);
    const left = this.#host.state.runs.unfinished().map(({ record, start }) => ({
      record,
      live: this.#remember(record, start),
    }));
    for (const { record, live } of left) {
      if (record.status !== "running") continue;
      live.startedAt = record.updated_at;
      live.log.publish("always", "error", JSON.stringify(interruption));
      this.#host.log("WARNING", `Run ${live.runId} was under way when the server ended, and is interrupted.`);
      await this.#finish(live, { kind: "cancelled" });
    }
    for (const { record, live } of left) if (record.status === "pending") this.#enqueue(live, record);
  }

  live(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  /** The events of a run, as far as they are kept. */
  logOf(runId: string): EventLog {
    const live = this.#live.get(runId);
    if (live) return live.log;
    const log = this.#createLog(runId, true);
    log.end();
    return log;
  }

  /** Cancels a run that hasn't ended, and waits until it has. False when it had ended before. */
  async cancel(runId: string, action: CancelAction): Promise<boolean> {
    const live = this.#live.get(runId);
    if (!live) return false;
    const reason = new RunCancelled(action);
    live.abort.abort(reason);
    const isScheduled = live.unschedule !== undefined;
    live.unschedule?.();
    if (this.queue.remove(live) || isScheduled) await this.#finish(live, { kind: "cancelled" });
    await live.done;
    return true;
  }

  /** Cancels what runs on a thread and removes it with everything that belongs to it. */
  async deleteThread(threadId: string): Promise<void> {
    const lives = [...(this.#liveByThread.get(threadId) ?? [])];
    await Promise.all(lives.map(({ runId }) => this.cancel(runId, "delete")));
    this.#host.state.transaction(() => this.#removeThread(threadId));
    this.threadStreams.close(threadId);
  }

  /** Ends everything, for a server that closes. What was under way and what waits is left to the next one. */
  close(): void {
    this.#isClosed = true;
    for (const live of this.#live.values()) {
      live.unschedule?.();
      live.abort.abort(new RunCancelled("delete"));
      live.log.end();
    }
    this.threadStreams.closeAll();
  }

  #threadFor(
    seen: AgentHost,
    threadId: string,
    isTemporary: boolean,
    { if_not_exists: ifNotExists, metadata = {} }: RunStart,
  ): ThreadRecord {
    if (!isTemporary && ifNotExists !== "create") return findThread(seen, threadId);
    const existing = isTemporary ? undefined : seen.state.threads.get(threadId);
    if (existing) return existing;
    const thread = newThread(seen, threadId, metadata);
    addThread(seen, thread);
    return thread;
  }

  async #makeRoom(threadId: string, strategy: RunRecord["multitask_strategy"]): Promise<void> {
    const lives = [...(this.#liveByThread.get(threadId) ?? [])];
    if (lives.length === 0 || strategy === "enqueue") return;
    if (strategy === "reject") {
      throw new HttpError(
        409,
        `Thread ${threadId} is already running a task. Wait for it to finish or choose a different multitask strategy.`,
      );
    }
    // The last first, so that none of those that wait gets a turn meanwhile.
    await Promise.all(lives.reverse().map(({ runId }) => this.cancel(runId, strategy)));
  }

  #removeThread(threadId: string): void {
    const { state, crons } = this.#host;
    for (const { cron_id: id } of state.crons.all({ thread_id: threadId })) crons.remove(id);
    state.threads.remove(threadId);
  }

  #remember({ run_id: runId, thread_id: threadId }: RunRecord, start: RunStart): LiveRun {
    const live = new LiveRun(runId, threadId, start, this.#createLog(runId, start.stream_resumable));
    this.threadStreams.follow(live);
    this.#live.set(runId, live);
    const others = this.#liveByThread.get(threadId);
    if (others) others.add(live);
    else this.#liveByThread.set(threadId, new Set([live]));
    return live;
  }

  #forget(live: LiveRun): void {
    this.#live.delete(live.runId);
    const others = this.#liveByThread.get(live.threadId);
    others?.delete(live);
    if (others?.size === 0) this.#liveByThread.delete(live.threadId);
  }

  /** The log of a run: of one that is resumable, with the events that are kept of it, and for keeping more. */
  #createLog(runId: string, isResumable: boolean): EventLog {
    const { state, clock, settings, onDefect } = this.#host;
    const options = { now: () => clock.now(), limits: settings.streamLimits, onDefect };
    if (!isResumable) return new EventLog({ ...options, keeps: false });
    return new EventLog({
      ...options,
      keeps: true,
      frames: state.runs.events(runId),
      archive: { append: (frames, oldest) => state.runs.addEvents(runId, frames, oldest) },
    });
  }

  #enqueue(live: LiveRun, { created_at: createdAt }: RunRecord): void {
    const { after_seconds: delay = 0 } = live.start;
    const due = Date.parse(createdAt) + delay * 1000;
    if (delay <= 0 || due <= this.#host.clock.now()) {
      this.queue.add(live);
      return;
    }
    const cancel = this.#host.alarms.set(due, () => {
      live.unschedule = undefined;
      this.queue.add(live);
    });
    live.unschedule = () => {
      cancel();
      live.unschedule = undefined;
    };
  }

  /** Never throws: whatever goes wrong is how the run ends. */
  async #work(live: LiveRun): Promise<void> {
    let result: RunResult;
    try {
      result = await executeRun(this.#host, live, this.#begin(live));
    } catch (failure) {
      result = live.abort.signal.aborted ? { kind: "cancelled" } : { kind: "error", error: runError(failure) };
    }
    await this.#finish(live, result);
  }

  #begin(live: LiveRun): RunRecord {
    const { state } = this.#host;
    live.abort.signal.throwIfAborted();
    live.startedAt = this.#host.timestamp();
    state.runs.begin(live.runId, live.startedAt);
    const record = state.runs.get(live.runId) as RunRecord;
    live.log.publish("always", "metadata", JSON.stringify({ run_id: live.runId, attempt: 1 }));
    live.log.flush();
    this.threadStreams.runStarted(live);
    this.#host.log(
      "INFO",
      `Run ${live.runId} of graph ${record.metadata.graph_id} has started on thread ${live.threadId}.`,
    );
    return record;
  }

  /** Never throws: a run whose end can't be kept has failed by that. */
  async #finish(live: LiveRun, result: RunResult): Promise<void> {
    let ended = result;
    try {
      await this.#settle(live, result);
    } catch (failure) {
      ended = { kind: "error", error: runError(failure) };
      await this.#settle(live, ended).catch(this.#host.onDefect);
    }
    this.#forget(live);
    live.finish(ended);
  }

  async #settle(live: LiveRun, result: RunResult): Promise<void> {
    if (this.#isClosed) return;
    const { state } = this.#host;
    const { runId, threadId, start } = live;
    const action = live.abort.signal.aborted ? (live.abort.signal.reason as RunCancelled).action : undefined;
    if (result.kind === "error") live.log.publish("always", "error", JSON.stringify(result.error));
    live.log.flush();
    if (action === "rollback") state.checkpoints.removeOfRun(threadId, runId);
    const isTemporary = start.on_completion === "delete" && action !== "delete";
    const isKept = start.on_completion !== "delete" && action !== "delete";
    const left = isKept ? await readStateLeft(this.#host, live, result) : {};
    const others = [...(this.#liveByThread.get(threadId) ?? [])].filter((other) => other !== live);
    if (isTemporary) await Promise.all(others.map((other) => this.cancel(other.runId, "delete")));
    if (this.#isClosed) return;
    this.#forget(live);
    const webhook = state.transaction(() => {
      const status = result.kind === "success" ? "success" : result.kind === "error" ? "error" : "interrupted";
      state.runs.end(runId, status, this.#host.timestamp(), live.log.keptSize);
      const record = state.runs.get(runId);
      if (action === "rollback" || action === "delete") state.runs.remove(runId);
      if (isKept) settleThread(this.#host, live, result, left);
      if (isTemporary) this.#removeThread(threadId);
      if (!record || start.webhook === undefined) return undefined;
      return state.webhooks.insert(start.webhook, webhookBody(this.#host, record, live, result));
    });
    this.threadStreams.runEnded(live, result);
    if (isTemporary) this.threadStreams.close(threadId);
    this.#logEnd(live, result);
    if (webhook) deliverWebhook(this.#host, webhook);
  }

  #logEnd({ runId, startedAt }: LiveRun, result: RunResult): void {
    if (result.kind === "error") {
      const { error, message } = result.error;
      this.#host.log("ERROR", `Run ${runId} has failed: ${error}: ${message}`);
      return;
    }
    if (result.kind === "cancelled") this.#host.log("WARNING", `Run ${runId} was cancelled.`);
    else {
      const took = this.#host.clock.now() - Date.parse(startedAt ?? this.#host.timestamp());
      const how = result.interrupts ? "was interrupted" : "has succeeded";
      this.#host.log("INFO", `Run ${runId} ${how} after ${took} ms.`);
    }
  }
}
