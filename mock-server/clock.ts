import { parseDuration } from "./duration.ts";

/** The time a mock server goes by, in milliseconds since the epoch. Every status and log line is a function of it. */
export interface Clock {
  now(): number;
  readonly frozen: boolean;
  /** Stops the time where it is, or at `at`. @throws {RangeError} for what is no time, or beyond the last date. */
  freeze(at?: Date | number): void;
  /** Moves the time forward, whether it runs or is frozen. `by` is a duration (`5m`) or milliseconds. @throws {RangeError} beyond the last date. */
  advance(by: string | number): void;
  /** Lets the time run on from where it stands. */
  resume(): void;
  /** Calls `listener` after the time was frozen, advanced or resumed, until the returned function is called. */
  onMove(listener: () => void): () => void;
}

/** The first and the last moment that have a date, in milliseconds from the epoch. */
export const furthestTime = 8.64e15;

/** @throws {RangeError} for a time that has no date. */
function dated(time: number): number {
  if (Math.abs(time) <= furthestTime) return time;
  throw new RangeError("The clock can't go there: dates end in the year 275760.");
}

/** A clock that starts as `source` (default: the machine's time) and can be frozen and advanced, never turned back by `resume`. */
export function createClock(source: () => number = Date.now): Clock {
  let offset = 0;
  let frozenAt: number | undefined;
  const listeners = new Set<() => void>();
  const now = () => frozenAt ?? source() + offset;
  const moved = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    now,
    get frozen() {
      return frozenAt !== undefined;
    },
    freeze(at) {
      frozenAt = at === undefined ? now() : dated(Number(at));
      moved();
    },
    advance(by) {
      const step = parseDuration(by);
      const reached = dated(now() + step);
      if (frozenAt === undefined) offset += step;
      else frozenAt = reached;
      moved();
    },
    resume() {
      if (frozenAt === undefined) return;
      offset = frozenAt - source();
      frozenAt = undefined;
      moved();
    },
    onMove(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
