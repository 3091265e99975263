import { setTimeout as delay } from "node:timers/promises";
import { Aborted } from "./client/errors.ts";

/** Time, injected so that tests run a 30-minute rollout in milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. @throws {@link Aborted} as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` every `ms` milliseconds until the returned function is called. Doesn't keep the process alive. */
  every(ms: number, act: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted) throw abortedBy(signal);
      throw error;
    }
  },
  every(ms, act) {
    const timer = setInterval(act, ms).unref();
    return () => clearInterval(timer);
  },
};

/** The error for a wait that `signal` ended. */
export function abortedBy(signal: AbortSignal): Aborted {
  const reason: unknown = signal.reason;
  if (reason instanceof Aborted) return reason;
  return new Aborted("Cancelled.", { cause: reason });
}

/** @throws {@link Aborted} when `signal` has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}
