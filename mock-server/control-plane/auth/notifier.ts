/** Wakes callers that wait for a key. */
export class Notifier {
  readonly #waiting = new Map<string, Set<() => void>>();

  /**
   * Resolves when `key` is notified, after `milliseconds` of real time, or when the signal is aborted; whichever is
   * first.
   */
  async wait(key: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        waiting.delete(finish);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      signal.addEventListener("abort", finish);
      waiting.add(finish);
    });
  }

  notify(key: string): void {
    for (const finish of this.#waiting.get(key) ?? []) finish();
  }

  /** Wakes all callers, because the server closes. */
  notifyAll(): void {
    for (const key of [...this.#waiting.keys()]) this.notify(key);
  }
}
