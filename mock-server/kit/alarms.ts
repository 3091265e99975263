import type { Clock } from "./clock.ts";

/** Maximum delay of a timer, in milliseconds. */
const maxDelay = 2 ** 31 - 1;

interface Alarm {
  at: number;
  ring: () => void;
}

/** Calls functions at times of an injected clock, also when the clock is frozen and advanced. */
export class Alarms implements Disposable {
  readonly #clock: Clock;
  readonly #alarms = new Set<Alarm>();
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stopListening = clock.onMove(() => this.#check());
  }

  /**
   * Calls `ring` once the clock reaches `at` (milliseconds since the epoch), never synchronously. The returned function
   * cancels the alarm.
   */
  set(at: number, ring: () => void): () => void {
    const alarm = { at, ring };
    this.#alarms.add(alarm);
    this.#arm();
    return () => void this.#alarms.delete(alarm);
  }

  /** Waits for `ms` milliseconds of the clock. Rejects with the reason of an aborted signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.set(this.#clock.now() + ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #check(): void {
    const now = this.#clock.now();
    const due = [...this.#alarms].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const alarm of due) {
      if (this.#alarms.delete(alarm)) alarm.ring();
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#alarms.size === 0) return;
    let first = Number.POSITIVE_INFINITY;
    for (const { at } of this.#alarms) first = Math.min(first, at);
    const wait = first - this.#clock.now();
    if (this.#clock.frozen && wait > 0) return;
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.max(wait, 0), maxDelay));
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#alarms.clear();
  }
}
