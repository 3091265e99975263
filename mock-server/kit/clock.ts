import { type Duration, parseDuration } from "../../core/duration.ts";

/** The time a mock server goes by, in milliseconds since the epoch. Every status and log line is a function of it. */
export interface Clock {
  now(): number;
  readonly frozen: boolean;
  /** Stops the time where it is, or at `at`. @throws {RangeError} for what is no time, or beyond the last date. */
  freeze(at?: Date | number): void;
  /** Moves the time forward, whether it runs or is frozen. @throws {RangeError} beyond the last date. */
  advance(by: Duration): void;
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

/** How a clock stands, in milliseconds. */
export interface ClockState {
  /** `null` while it runs. */
  frozenAt: number | null;
  /** How far it is ahead of its source while it runs. */
  offset: number;
}

/** What a clock is made of. */
export interface ClockOptions {
  /** @default the machine's time */
  source?: () => number;
  /** How it stands at first. @default as its source */
  state?: ClockState | undefined;
  /** Called before each move with what it comes to; when that throws, the clock isn't moved. */
  keep?: (state: ClockState) => void;
}

/** A clock that can be frozen and advanced, never turned back by `resume`. */
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
