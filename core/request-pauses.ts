import type { Clock } from "./clock.ts";

/** Control planes and keys that are kept in mind at once; beyond that those whose pause ends first are forgotten. */
const mostPauses = 100;

/** A server that asks for more patience than this is taken at its word up to here, in milliseconds. */
export const longestPauseMs = 120_000;

/** Until when each control plane asked not to be asked again, by whom. */
class RequestPauses {
  readonly #untilMs = new Map<string, number>();

  /** Notes what a 429 asked for with `Retry-After`; a shorter pause doesn't cut a longer one. */
  begin(asker: string, nowMs: number, retryAfterMs: number): void {
    const untilMs = nowMs + Math.min(retryAfterMs, longestPauseMs);
    if (untilMs > (this.#untilMs.get(asker) ?? 0)) this.#untilMs.set(asker, untilMs);
    for (const [other, endMs] of this.#untilMs) if (endMs <= nowMs) this.#untilMs.delete(other);
    if (this.#untilMs.size <= mostPauses) return;
    const [first] = [...this.#untilMs].sort(([, a], [, b]) => a - b);
    if (first !== undefined) this.#untilMs.delete(first[0]);
  }

  /** What is left of a pause, in milliseconds; 0 when there is none. */
  leftMs(asker: string, nowMs: number): number {
    return Math.max(0, (this.#untilMs.get(asker) ?? 0) - nowMs);
  }
}

const pausesOfClocks = new WeakMap<Clock, RequestPauses>();

/**
 * The pauses that all clients with one clock share. A rate limit counts a key, not the client that used it, so in a process that works on many
 * deployments the patience that one is asked for is asked of all.
 */
export function pausesOf(clock: Clock): RequestPauses {
  const known = pausesOfClocks.get(clock);
  if (known !== undefined) return known;
  const pauses = new RequestPauses();
  pausesOfClocks.set(clock, pauses);
  return pauses;
}
