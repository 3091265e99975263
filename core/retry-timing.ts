import { longestPauseMs } from "./request-pauses.ts";

/** Delay before the first repetition, in milliseconds; it doubles with each. */
const firstDelayMs = 500;
const longestDelayMs = 20_000;

/**
 * How long to wait before repetition number `attempt` (from 1), in milliseconds. `Retry-After` wins, with up to a quarter added so that
 * many clients told the same don't return together; otherwise the delay doubles from 0.5 s up to 20 s and keeps at least half of it.
 * `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestPauseMs) * (1 + random / 4) + random * 100;
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return full / 2 + (full / 2) * random;
}

/** `Retry-After` in milliseconds from `nowMs`, from either of its forms (seconds, or an HTTP date); `undefined` when it is neither. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone would take almost any text for a date of the past.
  const date = /^[A-Z][a-z]+, .*\bGMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
