import type { LiveRun } from "./live-run.ts";

/** The runs that haven't ended, by id and by thread. */
export class RunRegistry {
  readonly #byId = new Map<string, LiveRun>();
  readonly #byThread = new Map<string, Set<LiveRun>>();

  [Symbol.iterator](): Iterator<LiveRun> {
    return this.#byId.values();
  }

  get(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  /** Whether a run of the thread is under way or waits. */
  isBusy(threadId: string): boolean {
    return this.#byThread.has(threadId);
  }

  /** Oldest first. */
  onThread(threadId: string): LiveRun[] {
    return [...(this.#byThread.get(threadId) ?? [])];
  }

  add(live: LiveRun): void {
    this.#byId.set(live.runId, live);
    const others = this.#byThread.get(live.threadId);
    if (others) others.add(live);
    else this.#byThread.set(live.threadId, new Set([live]));
  }

  delete(live: LiveRun): void {
    this.#byId.delete(live.runId);
    const others = this.#byThread.get(live.threadId);
    others?.delete(live);
    if (others?.size === 0) this.#byThread.delete(live.threadId);
  }
}
