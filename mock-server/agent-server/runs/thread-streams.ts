import { EventLog, type ReadOptions } from "../../kit/event-log.ts";
import type { AgentHost } from "../agent-host.ts";
import type { LiveRun, RunResult } from "./live-run.ts";

/** What a thread's stream tells: all that runs tell, when they start and end, or the state after each. */
export const threadStreamModes = ["lifecycle", "run_modes", "state_update"] as const;

/** The streams of threads, which go on from run to run. One is kept from its first reader on until its thread is deleted. */
export class ThreadStreams {
  readonly #host: AgentHost;
  readonly #logs = new Map<string, EventLog>();

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /** The events of a thread, from now on or after one of those since the first reader came. */
  read(threadId: string, options: ReadOptions): ReadableStream<Uint8Array> {
    let log = this.#logs.get(threadId);
    if (!log) {
      log = new EventLog({
        keeps: true,
        now: () => this.#host.clock.now(),
        limits: this.#host.settings.streamLimits,
      });
      this.#logs.set(threadId, log);
    }
    return log.read(options);
  }

  /** Passes on what a run tells, if the thread has a stream. */
  follow(live: LiveRun): void {
    live.log.onPublish = (event, data) => this.#logs.get(live.threadId)?.publish("run_modes", event, data);
  }

  runStarted(live: LiveRun): void {
    this.#tell(live, "lifecycle", { event: "running", run_id: live.runId });
  }

  runEnded(live: LiveRun, result: RunResult): void {
    const event =
      result.kind === "success"
        ? result.interrupts
          ? "interrupted"
          : "completed"
        : result.kind === "error"
          ? "failed"
          : "cancelled";
    const error = result.kind === "error" ? { error: result.error } : {};
    this.#tell(live, "lifecycle", { event, run_id: live.runId, ...error });
    if (result.kind === "success") this.#tell(live, "state_update", { run_id: live.runId, values: result.values });
  }

  close(threadId: string): void {
    this.#logs.get(threadId)?.end();
    this.#logs.delete(threadId);
  }

  closeAll(): void {
    for (const threadId of [...this.#logs.keys()]) this.close(threadId);
  }

  #tell(live: LiveRun, mode: "lifecycle" | "state_update", data: object): void {
    this.#logs.get(live.threadId)?.publish(mode, mode, JSON.stringify(data));
  }
}
