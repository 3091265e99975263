import { setTimeout as pause } from "node:timers/promises";
import { CallFailure, type MethodName, type Params, type Result } from "../calls.ts";
import type { WorkerMethods } from "../protocol.ts";
import { type GraphWorker, WorkerCrashed, WorkerLost, WorkerOutOfMemory } from "./graph-worker.ts";

/** How often a worker's memory is looked at while calls are pending, in milliseconds. The limit of Node.js itself counts no buffers. */
const memoryCheckMs = 250;

/**
 * A worker that is ended when it stops responding, or takes more memory than it may have, while calls are pending. When a worker is lost, a call that was alone in it is to blame; of several
 * nobody knows which one it was, and each fails with {@link WorkerLost}.
 */
export class WatchedWorker {
  readonly #worker: GraphWorker;
  readonly #unresponsiveMs: number;
  #calls = 0;
  #callsAtLoss: number | undefined;
  /** Whether a call that nobody waits for may still run. */
  #hasCancelledCall = false;
  #isWatched = false;
  #isMemoryWatched = false;

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
    void this.#watchMemory();
    try {
      return await this.#worker.calls.call(method, params, signal);
    } catch (error) {
      if (signal?.aborted) this.#hasCancelledCall = true;
      if (!(error instanceof WorkerLost)) throw error;
      // Pending calls reject one after another; what counts is how many there were.
      this.#callsAtLoss ??= this.#calls;
      if (this.#callsAtLoss > 1 || this.#hasCancelledCall) throw error;
      if (error instanceof WorkerCrashed) throw new CallFailure({ name: "GraphCrashed", message: error.message });
      if (error instanceof WorkerOutOfMemory)
        throw new CallFailure({ name: "GraphOutOfMemory", message: error.message });
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
        // A heap that is nearly full keeps its worker busy with nothing but collecting garbage.
        if (await this.#exceedsMemory(0.9)) return;
        const seconds = this.#unresponsiveMs / 1000;
        const message = `The graph kept its worker busy for more than ${seconds} s: the worker was ended.`;
        return this.#worker.terminate(new WorkerBlocked(message));
      }
      await pause(this.#unresponsiveMs / 4, undefined, { ref: false });
    }
    this.#isWatched = false;
  }

  async #watchMemory(): Promise<void> {
    if (this.#isMemoryWatched) return;
    this.#isMemoryWatched = true;
    while (this.#calls > 0 && !(await this.#exceedsMemory(1))) await pause(memoryCheckMs, undefined, { ref: false });
    this.#isMemoryWatched = false;
  }

  /** Whether the worker takes more than a share of the memory that it may have: then it is ended. */
  async #exceedsMemory(share: number): Promise<boolean> {
    const { memoryMb } = this.#worker;
    if (((await this.#worker.usedMemoryMb()) ?? 0) <= share * memoryMb) return false;
    await this.#worker.terminate(new WorkerOutOfMemory(memoryMb));
    return true;
  }
}

/** The server has ended it, because it didn't respond. */
class WorkerBlocked extends WorkerLost {
  override readonly name = "WorkerBlocked";
}
