import { setImmediate } from "node:timers/promises";

/** Most events that one node of a built-in graph sends. */
const maxEvents = 100_000;

/** How many events are sent between two looks at what else the server has to do. */
const batchSize = 1000;

/** How many events an input asks for. @throws {RangeError} for what isn't a number from 0 to 100,000. */
export function eventCount(field: string, value: unknown): number {
  const count = Number(value);
  if (count >= 0 && count <= maxEvents) return count;
  throw new RangeError(`"${field}" is a number from 0 to ${maxEvents}, and was ${JSON.stringify(value)}.`);
}

/** Counts from 1 to `count`. Lets other requests, and a cancellation, have their turn on the way. */
export async function* countTo(count: number, signal: AbortSignal): AsyncGenerator<number, void, void> {
  for (let number = 1; number <= count; number++) {
    if (number % batchSize === 0) {
      await setImmediate();
      signal.throwIfAborted();
    }
    yield number;
  }
}
