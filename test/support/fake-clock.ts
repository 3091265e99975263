import { type Clock, throwIfAborted } from "../../core/clock.ts";

/** A clock on which nothing takes time but sleeping, and sleeping is over at once. */
export class FakeClock implements Clock {
  /** Every sleep, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called after each sleep, for what happens meanwhile. */
  onSleep: (nowMs: number) => void = () => {};
  #nowMs: number;

  constructor(startMs: number = Date.parse("2026-11-01T12:00:00Z")) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    this.sleeps.push(ms);
    this.#nowMs += ms;
    this.onSleep(this.#nowMs);
    throwIfAborted(signal);
  }
}
