import { setTimeout as delay } from "node:timers/promises";
import { Aborted, ConfigError } from "./client/errors.ts";

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

const unitInMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A duration as users write it: `"90s"`, `"1h30m"`, `"500ms"`, or a number of seconds. */
export type Duration = string | number;

/**
 * Milliseconds of a duration.
 * @throws {@link ConfigError} naming `path` when it isn't one, or must not be negative.
 */
export function parseDuration(value: Duration, path: string): number {
  const ms = millisecondsOf(value, path);
  if (ms >= 0) return ms;
  throw new ConfigError(`${path}: ${JSON.stringify(value)} must not be negative.`, { path });
}

/**
 * Milliseconds of a duration that limits a wait.
 * @throws {@link ConfigError} naming `path` when it isn't a duration, or isn't greater than zero.
 */
export function parseTimeout(value: Duration, path: string): number {
  const ms = millisecondsOf(value, path);
  if (ms > 0) return ms;
  throw new ConfigError(`${path}: ${JSON.stringify(value)} must be greater than zero.`, {
    path,
    hint: 'A wait needs a limit, for example "30m".',
  });
}

function millisecondsOf(value: Duration, path: string): number {
  const ms = typeof value === "number" ? value * 1_000 : parseText(value.trim());
  if (ms !== undefined && Number.isFinite(ms)) return ms;
  throw new ConfigError(`${path}: ${JSON.stringify(value)} is not a duration.`, {
    path,
    hint: 'Write "90s", "30m" or "1h30m", or a number of seconds.',
  });
}

function parseText(text: string): number | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (/.-/.test(text)) return undefined;
  const parts = [...text.matchAll(/(-?\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitInMs[unit as keyof typeof unitInMs], 0);
}

/** A human-readable duration: `850ms`, `42s`, `3m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}
