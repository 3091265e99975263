import { type Duration, parseDuration } from "../../core/time.ts";

/** The clock of a mock server, in milliseconds since the epoch. Every status and log line is a function of it. */
export interface Clock {
  now(): number;
  readonly frozen: boolean;
  /** Stops the clock now, or at `at`. @throws {RangeError} for an invalid time, or one beyond the last date. */
  freeze(at?: Date | number): void;
  /** Moves the clock forward, running or frozen. @throws {RangeError} beyond the last date. */
  advance(by: Duration): void;
  /** Lets the clock run from its current time. */
  resume(): void;
  /** Calls `listener` after each freeze, advance or resume. The returned function unsubscribes. */
  onMove(listener: () => void): () => void;
}

/** The last time with a date, in milliseconds since the epoch; its negative is the first. */
export const furthestTime = 8.64e15;

/** @throws {RangeError} for a time beyond the last date. */
function dated(time: number): number {
  if (Math.abs(time) <= furthestTime) return time;
  throw new RangeError("The clock can't go there: dates end in the year 275760.");
}

/** The state of a clock, in milliseconds. */
export interface ClockState {
  /** The frozen time; `null` while the clock runs. */
  frozenAt: number | null;
  /** Difference from the source while the clock runs. */
  offset: number;
}

export interface ClockOptions {
  /** @default the machine's time */
  source?: () => number;
  /** The initial state. @default that of the source */
  state?: ClockState | undefined;
  /** Stores the new state before each move; when it throws, the clock doesn't move. */
  keep?: (state: ClockState) => void;
}

/** A clock that can be frozen and advanced; `resume` never turns it back. */
export function createClock({ source = Date.now, state, keep }: ClockOptions = {}): Clock {
  let { frozenAt, offset } = state ?? { frozenAt: null, offset: 0 };
  const listeners = new Set<() => void>();
  const now = () => frozenAt ?? source() + offset;
  const move = (next: ClockState) => {
    keep?.(next);
    ({ frozenAt, offset } = next);
    for (const listener of [...listeners]) listener();
  };
  return {
    now,
    get frozen() {
      return frozenAt !== null;
    },
    freeze(at) {
      move({ frozenAt: at === undefined ? now() : dated(Number(at)), offset });
    },
    advance(by) {
      const step = parseDuration(by, "by");
      const reached = dated(now() + step);
      move(frozenAt === null ? { frozenAt, offset: offset + step } : { frozenAt: reached, offset });
    },
    resume() {
      if (frozenAt !== null) move({ frozenAt: null, offset: frozenAt - source() });
    },
    onMove(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
