import { setTimeout as pause } from "node:timers/promises";
import { CallFailure } from "../calls.ts";
import { ThreadCrashed, ThreadLost, type WorkerThread } from "./worker.ts";

/**
 * A thread that is looked after for as long as calls are under way in it: it is ended when it doesn't answer. A call that was alone in a thread that
 * was lost is blamed for it; of several nobody knows which one it was, and each is told that the thread is lost.
 */
export class WatchedThread {
  readonly thread: WorkerThread;
  readonly #unresponsiveMs: number;
  /** Called when it doesn't answer, before it is ended. */
  readonly #onBlocked: () => void;
  #calls = 0;
  #callsWhenLost: number | undefined;
  /** Whether something may still run in it that nobody waits for. */
  #isHaunted = false;
  #isWatched = false;

  constructor(thread: WorkerThread, unresponsiveMs: number, onBlocked: () => void = () => undefined) {
    this.thread = thread;
    this.#unresponsiveMs = unresponsiveMs;
    this.#onBlocked = onBlocked;
  }

  /**
   * Calls a method of the thread.
   * @throws {CallFailure} what the method throws, or what the thread was lost by if the call is to blame. @throws {ThreadLost} when it isn't.
   */
  async call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    this.#calls++;
    this.#watch();
    try {
      return await this.thread.calls.call(method, params, signal);
    } catch (error) {
      if (signal?.aborted) this.#isHaunted = true;
      if (!(error instanceof ThreadLost)) throw error;
      // The calls are told one after another; what counts is how many there were.
      this.#callsWhenLost ??= this.#calls;
      if (this.#callsWhenLost > 1 || this.#isHaunted) throw error;
      if (error instanceof ThreadCrashed) throw new CallFailure({ name: "GraphCrashed", message: error.message });
      if (error instanceof ThreadBlocked) throw new CallFailure({ name: "GraphUnresponsive", message: error.message });
      throw error;
    } finally {
      this.#calls--;
    }
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    void (async () => {
      while (this.#calls > 0) {
        if (!(await this.#answers())) {
          this.#onBlocked();
          const seconds = this.#unresponsiveMs / 1000;
          const message = `The graph kept its thread busy for more than ${seconds} s: the thread was ended.`;
          await this.thread.terminate(new ThreadBlocked(message));
          return;
        }
        await pause(this.#unresponsiveMs / 4, undefined, { ref: false });
      }
      this.#isWatched = false;
    })();
  }

  async #answers(): Promise<boolean> {
    const patience = new AbortController();
    const silence = pause(this.#unresponsiveMs, false, { ref: false, signal: patience.signal }).catch(() => false);
    const ended = this.thread.ended.then(() => true);
    const answers = await Promise.race([this.thread.ping().then(() => true), ended, silence]);
    patience.abort();
    return answers;
  }
}

/** The server has ended it, because it didn't answer. */
class ThreadBlocked extends ThreadLost {
  override readonly name = "ThreadBlocked";
}
