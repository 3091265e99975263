import type { Clock } from "./clock.ts";

/** The longest silence of a wait, in milliseconds. */
export const defaultHeartbeatMs = 30_000;

/**
 * Says that a wait goes on whenever nothing else was said for `intervalMs`: also while a request hangs, is repeated or is held back by a rate limit.
 * Ends with `Symbol.dispose`.
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #beat: () => void;
  #stop: () => void;

  constructor(clock: Clock, intervalMs: number, beat: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#beat = beat;
    this.#stop = clock.every(intervalMs, beat);
  }

  /** Something else was said just now: the next silence begins. */
  restart(): void {
    this.#stop();
    this.#stop = this.#clock.every(this.#intervalMs, this.#beat);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
