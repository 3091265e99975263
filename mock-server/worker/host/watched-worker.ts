import { setTimeout as pause } from "node:timers/promises";
import { CallFailure, type MethodName, type Params, type Result } from "../calls.ts";
import type { WorkerMethods } from "../protocol.ts";
import { type GraphWorker, WorkerCrashed, WorkerLost, WorkerOutOfMemory } from "./graph-worker.ts";

/** Interval of memory checks while calls are pending, in milliseconds. Node.js's own limit doesn't count buffers. */
const memoryCheckMs = 250;

/**
 * A worker that is ended when it stops responding or exceeds its memory limit while calls are pending. When a worker is
 * lost, its only call has caused that; of several it is unknown which one did, and each fails with {@link WorkerLost}.
 */
export class WatchedWorker {
  readonly #worker: GraphWorker;
  readonly #unresponsiveMs: number;
  #calls = 0;
  #callsAtLoss: number | undefined;
  /** Whether a cancelled call may still be running. */
  #hasCancelledCall = false;
  #isWatched = false;
  #isMemoryWatched = false;

  constructor(worker: GraphWorker, unresponsiveMs: number) {
    this.#worker = worker;
    this.#unresponsiveMs = unresponsiveMs;
  }

  /**
   * Calls a method of the worker.
   * @throws {CallFailure} when the method throws, or when the worker is lost and this was its only call; {WorkerLost}
   * when there were others.
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
      // Pending calls reject one after another; the number at the time of the loss counts.
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
        // A nearly full heap keeps a worker busy with garbage collection.
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

  /** Ends the worker if it uses more than a share of its memory limit. Returns whether it did. */
  async #exceedsMemory(share: number): Promise<boolean> {
    const { memoryMb } = this.#worker;
    if (((await this.#worker.usedMemoryMb()) ?? 0) <= share * memoryMb) return false;
    await this.#worker.terminate(new WorkerOutOfMemory(memoryMb));
    return true;
  }
}

/** The worker was ended because it didn't respond. */
class WorkerBlocked extends WorkerLost {
  override readonly name = "WorkerBlocked";
}
