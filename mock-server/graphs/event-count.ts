import { setImmediate } from "node:timers/promises";

/** Maximum number of events that a node of a built-in graph sends. */
const maxEvents = 100_000;

/** Number of events between two turns of the event loop. */
const batchSize = 1000;

/** Reads a number of events from an input. @throws {RangeError} for anything but a number from 0 to 100,000. */
export function eventCount(field: string, value: unknown): number {
  const count = Number(value);
  if (count >= 0 && count <= maxEvents) return count;
  throw new RangeError(`"${field}" must be a number from 0 to ${maxEvents}, not ${JSON.stringify(value)}.`);
}

/** Counts from 1 to `count`, yielding to other requests and to cancellation after each batch. */
export async function* countTo(count: number, signal: AbortSignal): AsyncGenerator<number, void, void> {
  for (let number = 1; number <= count; number++) {
    if (number % batchSize === 0) {
      await setImmediate();
      signal.throwIfAborted();
    }
    yield number;
  }
}
