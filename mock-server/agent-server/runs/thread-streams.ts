import { EventLog, type EventLogLimits, type ReadOptions } from "../../kit/event-log.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** The modes of a thread's stream: the starts and ends of runs, their events, or the state after each. */
export const threadStreamModes = ["lifecycle", "run_modes", "state_update"] as const;

interface ThreadStreamsDependencies extends Pick<AgentRuntime, "clock"> {
  limits: EventLogLimits;
}

/**
 * The streams of threads, which continue from run to run. A stream lives from its first reader until the thread is
 * deleted.
 */
export class ThreadStreams {
  readonly #dependencies: ThreadStreamsDependencies;
  readonly #logs = new Map<string, EventLog>();

  constructor(dependencies: ThreadStreamsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The events of a thread, from now on or after an earlier event of its stream. */
  read(threadId: string, options: ReadOptions): ReadableStream<Uint8Array> {
    let log = this.#logs.get(threadId);
    if (!log) {
      const { clock, limits } = this.#dependencies;
      log = new EventLog({ keeps: true, now: () => clock.now(), limits });
      this.#logs.set(threadId, log);
    }
    return log.read(options);
  }

  /** Forwards the events of a run, if the thread has a stream. */
  follow(live: LiveRun): void {
    live.log.onPublish((event, data) => this.#logs.get(live.threadId)?.publish("run_modes", event, data));
  }

  runStarted(live: LiveRun): void {
    this.#publish(live, "lifecycle", { event: "running", run_id: live.runId });
  }

  runEnded(live: LiveRun, result: RunResult): void {
    const ends = { success: "completed", error: "failed", cancelled: "cancelled" };
    const isInterrupted = result.kind === "success" && result.interrupts;
    const event = isInterrupted ? "interrupted" : ends[result.kind];
    const error = result.kind === "error" ? { error: result.error } : {};
    this.#publish(live, "lifecycle", { event, run_id: live.runId, ...error });
    if (result.kind === "success") this.#publish(live, "state_update", { run_id: live.runId, values: result.values });
  }

  close(threadId: string): void {
    this.#logs.get(threadId)?.end();
    this.#logs.delete(threadId);
  }

  closeAll(): void {
    for (const threadId of [...this.#logs.keys()]) this.close(threadId);
  }

  #publish(live: LiveRun, mode: "lifecycle" | "state_update", data: object): void {
    this.#logs.get(live.threadId)?.publish(mode, mode, JSON.stringify(data));
  }
}
