import type { EventLog } from "../../kit/event-log.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime, AgentSettings } from "../agent-runtime.ts";
import type { CronTimer } from "../crons/cron-timer.ts";
import type { Fields } from "../engine/contract.ts";
import { ThreadEvents } from "../event-streaming/thread-events.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { RunError, RunRecord } from "../persistence/records.ts";
import type { CurrentProject } from "../project-settings.ts";
import type { ThreadRecords } from "../threads/thread-records.ts";
import type { ThreadStates } from "../threads/thread-states.ts";
import { EndedRuns } from "./ended-runs.ts";
import { type CancelAction, failedRun, LiveRun, RunCancelled, type RunResult } from "./live-run.ts";
import { threadConfig } from "./run-kwargs.ts";
import { createRunLog } from "./run-log.ts";
import { RunQueue } from "./run-queue.ts";
import type { RunStart } from "./run-schemas.ts";
import { endLine, resultBody, webhookBody } from "./run-view.ts";
import { stateLeft, statusAfter } from "./settle-thread.ts";
import { ThreadStreams } from "./thread-streams.ts";
import type { Webhooks } from "./webhooks.ts";

/** What the stream of a run says that was in progress when its server ended. */
const interruption: RunError = {
  error: "RunInterrupted",
  message: "The server ended while the run was in progress.",
};

interface LiveRunsDependencies extends Pick<AgentRuntime, "clock" | "alarms" | "onDefect" | "log"> {
  settings: Pick<AgentSettings, "workers" | "streamLimits">;
  /** All of it, whoever may see what. */
  state: Pick<AgentState, "runs" | "threads" | "threadEvents" | "checkpoints" | "transaction">;
  records: ThreadRecords;
  states: ThreadStates;
  cronTimer: Pick<CronTimer, "removeAll">;
  webhooks: Webhooks;
  project: CurrentProject;
  /** Called when a run has ended. */
  onEnd(runId: string): void;
  /** Runs the graph of a run. @throws what the graph throws; the signal's reason when the run is cancelled. */
  execute(live: LiveRun, record: RunRecord): Promise<RunResult>;
}

/** The runs of an agent server that haven't ended, whoever may see them: their turns, their events and their ends. */
export class LiveRuns {
  readonly queue: RunQueue<LiveRun>;
  readonly threadStreams: ThreadStreams;
  readonly threadEvents: ThreadEvents;
  readonly ended: EndedRuns;
  readonly #dependencies: LiveRunsDependencies;
  readonly #live = new Map<string, LiveRun>();
  #isClosed = false;

  constructor(dependencies: LiveRunsDependencies) {
    const { settings, clock } = dependencies;
    this.#dependencies = dependencies;
    this.ended = new EndedRuns(dependencies);
    this.queue = new RunQueue(settings.workers, (live) => this.#work(live));
    this.threadStreams = new ThreadStreams({ clock, limits: settings.streamLimits });
    this.threadEvents = new ThreadEvents({ ...dependencies, isBusy: (threadId) => this.isBusy(threadId) });
  }

  /** Whether a run of the thread is in progress or waits. */
  isBusy(threadId: string): boolean {
    return this.#onThread(threadId).length > 0;
  }

  /** Waits until no run of the thread is in progress or waits. */
  async whenIdle(threadId: string): Promise<void> {
    while (this.isBusy(threadId)) await Promise.all(this.#onThread(threadId).map(({ done }) => done));
  }

  get(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  /** The events of a run, as far as they are kept. */
  logOf(runId: string): EventLog {
    const kept = this.#live.get(runId) ?? this.ended.get(runId);
    if (kept) return kept.log;
    const log = createRunLog(this.#dependencies, runId, true);
    log.end();
    return log;
  }

  /**
   * Says in the thread of a run that it is busy, and by which graph and with which config, which of a run that waits is
   * said later. Its caller may not see a thread that the run makes.
   */
  setBusy(record: RunRecord): void {
    if (!this.isBusy(record.thread_id)) this.#useThread(record);
  }

  #useThread({ thread_id: threadId, assistant_id, metadata: { graph_id }, kwargs }: RunRecord): void {
    const { records, project } = this.#dependencies;
    records.change(threadId, ({ metadata, config }) => ({
      status: "busy",
      metadata: { ...metadata, graph_id, assistant_id },
      config: threadConfig({ config }, kwargs.config as Fields, project.settings.configurableHeaders),
    }));
  }

  /** Gives a run that has been stored its turn. `beforeStart` is called before it can tell anything. */
  add(record: RunRecord, start: RunStart, beforeStart?: (live: LiveRun) => void): LiveRun {
    const live = this.#remember(record, start);
    beforeStart?.(live);
    this.#enqueue(live, record);
    return live;
  }

  /**
   * Continues with the runs that an earlier server left: those that wait get their turns in their order, and those that
   * were in progress have been interrupted, which their streams say.
   */
  async restore(): Promise<void> {
    const left = this.#dependencies.state.runs.unfinished().map(({ record, start }) => ({
      record,
      live: this.#remember(record, start),
    }));
    for (const { record, live } of left) {
      if (record.status !== "running") continue;
      live.startedAt = record.updated_at;
      live.isCutOff = true;
      live.log.publish("always", "error", JSON.stringify(interruption));
      const message = `Run ${live.runId} was in progress when the server ended, and is interrupted.`;
      this.#dependencies.log("WARNING", message);
      await this.#finish(live, { kind: "cancelled" });
    }
    for (const { record, live } of left) if (record.status === "pending") this.#enqueue(live, record);
  }

  /**
   * Makes room for another run of a thread, as its strategy says.
   * @throws {HttpError} 409 where the thread is busy and the strategy is `reject`.
   */
  async makeRoom(threadId: string, strategy: RunRecord["multitask_strategy"]): Promise<void> {
    const lives = this.#onThread(threadId);
    if (lives.length === 0 || strategy === "enqueue") return;
    if (strategy === "reject") {
      throw new HttpError(
        409,
        `Thread ${threadId} is already running a task. Wait for it to finish or choose a different multitask strategy.`,
      );
    }
    // The last first, so that none of those that wait gets a turn in the meantime.
    await Promise.all(lives.reverse().map(({ runId }) => this.cancel(runId, strategy)));
  }

  /** Cancels a run, and waits until it has ended, unless it had before. */
  async cancel(runId: string, action: CancelAction): Promise<void> {
    const live = this.#live.get(runId);
    if (!live) return;
    live.abort.abort(new RunCancelled(action));
    const isScheduled = live.unschedule !== undefined;
    live.unschedule?.();
    if (this.queue.remove(live) || isScheduled) await this.#finish(live, { kind: "cancelled" });
    await live.done;
  }

  /** Cancels what runs on a thread and removes it with everything that belongs to it. */
  async deleteThread(threadId: string): Promise<void> {
    await Promise.all(this.#onThread(threadId).map(({ runId }) => this.cancel(runId, "delete")));
    this.#dependencies.state.transaction(() => this.#removeThread(threadId));
    this.threadStreams.close(threadId);
    this.threadEvents.close(threadId);
  }

  /** Ends everything, for a server that closes. What is in progress and what waits is left to the next one. */
  close(): void {
    this.#isClosed = true;
    for (const live of this.#live.values()) {
      live.unschedule?.();
      live.abort.abort(new RunCancelled("delete"));
      live.log.end();
    }
    this.threadStreams.closeAll();
    this.threadEvents.closeAll();
  }

  /** Oldest first. */
  #onThread(threadId: string): LiveRun[] {
    return [...this.#live.values()].filter((live) => live.threadId === threadId);
  }

  #removeThread(threadId: string): void {
    this.#dependencies.cronTimer.removeAll({ thread_id: threadId });
    this.#dependencies.state.threads.remove(threadId);
  }

  #remember({ run_id: runId, thread_id: threadId, metadata }: RunRecord, start: RunStart): LiveRun {
    const live = new LiveRun(runId, threadId, start, createRunLog(this.#dependencies, runId, start.stream_resumable));
    live.graphId = String(metadata.graph_id);
    this.threadStreams.follow(live);
    this.#live.set(runId, live);
    return live;
  }

  #enqueue(live: LiveRun, { created_at: createdAt }: RunRecord): void {
    const { alarms, clock } = this.#dependencies;
    const { after_seconds: delay = 0 } = live.start;
    const due = Date.parse(createdAt) + delay * 1000;
    if (delay <= 0 || due <= clock.now()) {
      this.queue.add(live);
      return;
    }
    const cancel = alarms.set(due, () => {
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
      result = await this.#dependencies.execute(live, this.#begin(live));
    } catch (failure) {
      result = live.abort.signal.aborted ? { kind: "cancelled" } : failedRun(failure);
    }
    await this.#finish(live, result);
  }

  #begin(live: LiveRun): RunRecord {
    const { state, clock, log } = this.#dependencies;
    const { runId, threadId } = live;
    live.abort.signal.throwIfAborted();
    live.startedAt = timestamp(clock.now());
    state.runs.begin(runId, live.startedAt);
    const record = state.runs.get(runId) as RunRecord;
    this.#useThread(record);
    live.log.publish("always", "metadata", JSON.stringify({ run_id: runId, attempt: 1 }));
    live.log.flush();
    this.threadStreams.runStarted(live);
    this.threadEvents.runStarted(live);
    log("INFO", `Run ${runId} of graph ${record.metadata.graph_id} has started on thread ${threadId}.`);
    return record;
  }

  /** Never throws: a run whose end can't be kept has failed by that. */
  async #finish(live: LiveRun, result: RunResult): Promise<void> {
    let ended = result;
    try {
      await this.#settle(live, result);
    } catch (failure) {
      ended = failedRun(failure);
      await this.#settle(live, ended).catch(this.#dependencies.onDefect);
    }
    this.#live.delete(live.runId);
    this.threadEvents.runEnded(live, ended);
    live.finish(ended);
    if (!this.#isClosed) this.#dependencies.onEnd(live.runId);
  }

  async #settle(live: LiveRun, result: RunResult): Promise<void> {
    if (this.#isClosed) return;
    const { state, records, webhooks, clock, log } = this.#dependencies;
    const { runId, threadId, start } = live;
    const action = live.abort.signal.aborted ? (live.abort.signal.reason as RunCancelled).action : undefined;
    if (result.kind === "error") live.log.publish("always", "error", JSON.stringify(result.error));
    live.log.flush();
    if (action === "rollback") state.checkpoints.clear(threadId, runId);
    const isTemporary = start.on_completion === "delete" && action !== "delete";
    const isKept = start.on_completion !== "delete" && action !== "delete";
    const user = state.runs.get(runId)?.user ?? null;
    const left = isKept ? await stateLeft(this.#dependencies, { threadId, user }, result) : {};
    const others = this.#onThread(threadId).filter((other) => other !== live);
    if (isTemporary) await Promise.all(others.map((other) => this.cancel(other.runId, "delete")));
    if (this.#isClosed) return;
    this.#live.delete(live.runId);
    const now = clock.now();
    const { metadata = {} } = (live.keepsResult && records.get(threadId)) || {};
    const webhook = state.transaction(() => {
      const status = result.kind === "cancelled" ? "interrupted" : result.kind;
      state.runs.end(runId, status, timestamp(now), live.log.replaySize);
      const record = state.runs.get(runId);
      if (action === "rollback" || action === "delete") state.runs.remove(runId);
      if (isKept) {
        records.change(threadId, () => ({
          ...left,
          status: this.isBusy(threadId) ? "busy" : statusAfter(result, left, live),
          error: result.kind === "error" ? result.error : null,
          state_updated_at: timestamp(now),
        }));
      }
      if (isTemporary) this.#removeThread(threadId);
      return record && start.webhook !== undefined
        ? webhooks.addOfRun(start.webhook, webhookBody(record, live, result, now))
        : undefined;
    });
    if (isTemporary && live.keepsResult && result.kind !== "cancelled") {
      this.ended.add({ run_id: runId, thread_id: threadId, metadata, log: live.log }, resultBody(result));
    }
    this.threadStreams.runEnded(live, result);
    if (isTemporary) this.threadStreams.close(threadId);
    log(...endLine(live, result, now));
    if (webhook) webhooks.deliver(webhook);
  }
}
