import { type Clock, throwIfAborted } from "../../core/time.ts";

/** A clock that only sleeps advance. A sleep returns immediately. */
export class FakeClock implements Clock {
  /** The duration of every sleep, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called after each sleep, for events during it. */
  onSleep: (nowMs: number) => void = () => {};
  #nowMs: number;
  readonly #repeated = new Set<{ dueMs: number; ms: number; act: () => void }>();

  constructor(startMs: number = Date.parse("2026-11-01T12:00:00Z")) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** Advances the clock. Intervals fire at their times. */
  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#repeated].sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined || next.dueMs > end) break;
      this.#nowMs = next.dueMs;
      next.dueMs += next.ms;
      next.act();
    }
    this.#nowMs = end;
  }

  every(ms: number, act: () => void): () => void {
    const entry = { dueMs: this.#nowMs + ms, ms, act };
    this.#repeated.add(entry);
    return () => this.#repeated.delete(entry);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    this.sleeps.push(ms);
    this.advance(ms);
    this.onSleep(this.#nowMs);
    throwIfAborted(signal);
  }
}
