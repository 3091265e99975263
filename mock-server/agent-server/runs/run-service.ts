import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import { findAssistant, findGraph } from "../assistants/assistant-model.ts";
import type { RunRecord } from "../state/records.ts";
import { removeCheckpoints, removeCheckpointsOfRun } from "../threads/checkpoints.ts";
import { changeThread, findThread, insertThread } from "../threads/thread-model.ts";
import { EventLog } from "./event-log.ts";
import { executeRun } from "./execute-run.ts";
import { FinishedLogs } from "./finished-logs.ts";
import { type CancelAction, LiveRun, RunCancelled, type RunResult, runError } from "./live-run.ts";
import { runKwargs, runMetadata } from "./run-kwargs.ts";
import { RunQueue } from "./run-queue.ts";
import type { RunStart } from "./run-schemas.ts";
import { settleThread } from "./settle-thread.ts";
import { ThreadStreams } from "./thread-streams.ts";
import { checkWebhook, sendWebhook } from "./webhook.ts";

/** The runs of an agent server: who starts, waits for, follows and cancels them. */
export class RunService {
  readonly queue: RunQueue<LiveRun>;
  readonly threadStreams: ThreadStreams;
  readonly #host: AgentHost;
  readonly #live = new Map<string, LiveRun>();
  readonly #liveByThread = new Map<string, Set<LiveRun>>();
  readonly #finished = new FinishedLogs();

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
   * Starts a run; `threadId` is absent for one that leaves nothing behind. `as` is the server as the caller sees
   * it. `beforeStart` gets the run before it can tell anything.
   * @throws {HttpError} 404 for an unknown assistant or thread, 409 where the thread is busy and the strategy is `reject`, 422 for a webhook that isn't allowed.
   */
  async start(
    threadId: string | undefined,
    body: RunStart,
    { headers, as: seen, beforeStart }: { headers?: Headers; as: AgentHost; beforeStart?: (live: LiveRun) => void },
  ): Promise<{ record: RunRecord; live: LiveRun }> {
    const host = this.#host;
    const assistant = await findAssistant(seen, body.assistant_id);
    findGraph(host, assistant.graph_id);
    if (body.webhook !== undefined) await checkWebhook(host, body.webhook);
    const id = threadId ?? host.ids.uuid();
    return host.locks.run(`runs/${id}`, async () => {
      const thread = await this.#threadFor(seen, id, threadId === undefined, body);
      await this.#makeRoom(id, body.multitask_strategy ?? "enqueue");
      const runId = host.ids.uuid();
      const parts = { body, assistant, thread, runId, threadId: id, headers };
      const now = host.timestamp();
      const record: RunRecord = {
        sequence: host.state.nextSequence(),
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
      await host.state.runs.put(record);
      await changeThread(host, id, ({ metadata }) => ({
        status: "busy",
        metadata: { ...metadata, graph_id: assistant.graph_id, assistant_id: assistant.assistant_id },
      }));
      const log = new EventLog(body.stream_resumable, () => host.clock.now(), host.settings.streamLimits);
      const live = new LiveRun(runId, id, body, log);
      this.threadStreams.follow(live);
      this.#remember(live);
      beforeStart?.(live);
      this.#enqueue(live);
      return { record, live };
    });
  }

  live(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  /** The events of a run, for as long as they are kept. */
  logOf(runId: string): EventLog | undefined {
    return this.#live.get(runId)?.log ?? this.#finished.get(runId);
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
    const { state, crons } = this.#host;
    const lives = [...(this.#liveByThread.get(threadId) ?? [])];
    await Promise.all(lives.map(({ runId }) => this.cancel(runId, "delete")));
    for (const { cron_id } of await state.crons.group(threadId)) await crons.remove(cron_id);
    await state.threads.remove(threadId);
    await state.runs.removeGroup(threadId);
    await removeCheckpoints(this.#host, threadId);
    this.threadStreams.close(threadId);
  }

  /** Cancels everything, for a server that closes. */
  close(): void {
    for (const live of this.#live.values()) {
      live.unschedule?.();
      live.abort.abort(new RunCancelled("delete"));
      live.log.end();
    }
    this.threadStreams.closeAll();
  }

  async #threadFor(
    seen: AgentHost,
    threadId: string,
    isTemporary: boolean,
    { if_not_exists: ifNotExists, metadata = {} }: RunStart,
  ) {
    if (isTemporary) return insertThread(seen, threadId, metadata);
    if (ifNotExists !== "create") return findThread(seen, threadId);
    const existing = await seen.state.threads.get(threadId);
    return existing ?? insertThread(seen, threadId, metadata);
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

  #remember(live: LiveRun): void {
    this.#live.set(live.runId, live);
    const others = this.#liveByThread.get(live.threadId);
    if (others) others.add(live);
    else this.#liveByThread.set(live.threadId, new Set([live]));
  }

  #enqueue(live: LiveRun): void {
    const { after_seconds: delay = 0 } = live.start;
    if (delay <= 0) {
      this.queue.add(live);
      return;
    }
    const cancel = this.#host.alarms.set(this.#host.clock.now() + delay * 1000, () => {
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
      const record = await this.#begin(live);
      result = await executeRun(this.#host, live, record);
    } catch (failure) {
      result = live.abort.signal.aborted ? { kind: "cancelled" } : { kind: "error", error: runError(failure) };
    }
    await this.#finish(live, result).catch((error) => this.#host.onDefect(error));
  }

  async #begin(live: LiveRun): Promise<RunRecord> {
    const { state } = this.#host;
    live.abort.signal.throwIfAborted();
    const before = (await state.runs.get(live.runId)) as RunRecord;
    live.startedAt = this.#host.timestamp();
    const record: RunRecord = { ...before, status: "running", updated_at: live.startedAt };
    await state.runs.put(record);
    live.log.publish("always", "metadata", JSON.stringify({ run_id: live.runId, attempt: 1 }));
    this.threadStreams.runStarted(live);
    this.#host.log(
      "INFO",
      `Run ${live.runId} of graph ${record.metadata.graph_id} has started on thread ${live.threadId}.`,
    );
    return record;
  }

  async #finish(live: LiveRun, result: RunResult): Promise<void> {
    const { state } = this.#host;
    const action = live.abort.signal.aborted ? (live.abort.signal.reason as RunCancelled).action : undefined;
    if (result.kind === "error") live.log.publish("always", "error", JSON.stringify(result.error));
    const record = await state.runs.get(live.runId);
    const ended: RunRecord | undefined = record && {
      ...record,
      status: result.kind === "success" ? "success" : result.kind === "error" ? "error" : "interrupted",
      updated_at: this.#host.timestamp(),
    };
    if (ended && action !== "rollback" && action !== "delete") await state.runs.put(ended);
    else await state.runs.remove(live.runId);
    if (action === "rollback") await removeCheckpointsOfRun(this.#host, live.threadId, live.runId);
    this.#live.delete(live.runId);
    const others = this.#liveByThread.get(live.threadId);
    others?.delete(live);
    if (others?.size === 0) this.#liveByThread.delete(live.threadId);
    const isTemporary = live.start.on_completion === "delete";
    if (action !== "delete" && !isTemporary) await settleThread(this.#host, live, result);
    if (live.start.stream_resumable) this.#finished.add(live.runId, live.log);
    this.threadStreams.runEnded(live, result);
    this.#logEnd(live, result);
    if (isTemporary && action !== "delete") await this.deleteThread(live.threadId);
    live.finish(result);
    if (ended && live.start.webhook !== undefined) sendWebhook(this.#host, live.start.webhook, ended, live, result);
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
