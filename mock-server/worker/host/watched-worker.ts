import { setTimeout as pause } from "node:timers/promises";
import { CallFailure, type MethodName, type Params, type Result } from "../calls.ts";
import type { WorkerMethods } from "../protocol.ts";
import { type GraphWorker, WorkerCrashed, WorkerLost } from "./graph-worker.ts";

/**
 * A worker that is ended when it stops responding while calls are pending. When a worker is lost, a call that was alone in it is to blame; of several
 * nobody knows which one it was, and each fails with {@link WorkerLost}.
 */
export class WatchedWorker {
  readonly #worker: GraphWorker;
  readonly #unresponsiveMs: number;
  #calls = 0;
  #callsWhenLost: number | undefined;
  /** Whether a call that nobody waits for may still run. */
  #hasCancelledCall = false;
  #isWatched = false;

  constructor(worker: GraphWorker, unresponsiveMs: number) {
    this.#worker = worker;
    this.#unresponsiveMs = unresponsiveMs;
  }

  /**
   * Calls a method of the worker.
   * @throws {CallFailure} what the method throws, or why the worker was lost if the call is to blame. @throws {WorkerLost} when it isn't.
   */
  async call<Name extends MethodName<WorkerMethods>>(
    method: Name,
    params: Params<WorkerMethods, Name>,
    signal?: AbortSignal,
  ): Promise<Result<WorkerMethods, Name>> {
    this.#calls++;
    void this.#watch();
    try {
      return await this.#worker.calls.call(method, params, signal);
    } catch (error) {
      if (signal?.aborted) this.#hasCancelledCall = true;
      if (!(error instanceof WorkerLost)) throw error;
      // Pending calls reject one after another; what counts is how many there were.
      this.#callsWhenLost ??= this.#calls;
      if (this.#callsWhenLost > 1 || this.#hasCancelledCall) throw error;
      if (error instanceof WorkerCrashed) throw new CallFailure({ name: "GraphCrashed", message: error.message });
      if (error instanceof WorkerBlocked) throw new CallFailure({ name: "GraphUnresponsive", message: error.message });
      throw error;
    } finally {
      this.#calls--;
    }
  }

  async #watch(): Promise<void> {
    if (this.#isWatched) return;
    this.#isWatched = true;
    while (this.#calls > 0) {
      const deadline = AbortSignal.timeout(this.#unresponsiveMs);
      await this.#worker.calls.call("ping", undefined, deadline).catch(() => undefined);
      if (deadline.aborted) {
        const seconds = this.#unresponsiveMs / 1000;
        const message = `The graph kept its worker busy for more than ${seconds} s: the worker was ended.`;
        return this.#worker.terminate(new WorkerBlocked(message));
      }
      await pause(this.#unresponsiveMs / 4, undefined, { ref: false });
    }
    this.#isWatched = false;
  }
}

/** The server has ended it, because it didn't respond. */
class WorkerBlocked extends WorkerLost {
  override readonly name = "WorkerBlocked";
}
