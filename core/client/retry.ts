import type { Clock } from "../time.ts";
import { ApiError, ConnectionError, NotFoundError, ResponseError } from "./errors.ts";

/** Limits of one call. */
export interface RequestLimits {
  /** One attempt, from sending to the last byte of the response, in milliseconds. @default 30 s */
  attemptTimeoutMs: number;
  /** The whole call including its retries, in milliseconds. @default 120 s */
  deadlineMs: number;
  /**
   * Retries after 408 and 5xx. After a 429, which means that the server is busy but healthy, only the deadline limits
   * them. @default 10
   */
  maxRetries: number;
  /** Retries after a failed connection. @default 6, which take about 20 s */
  maxConnectionRetries: number;
}

export const defaultRequestLimits: RequestLimits = {
  attemptTimeoutMs: 30_000,
  deadlineMs: 120_000,
  maxRetries: 10,
  maxConnectionRetries: 6,
};

/** What error messages advise about one kind of server. */
export interface Advice {
  /** For an error status; `undefined` where the response says enough. */
  onStatus(status: number): string | undefined;
  /** When an intermediary responded instead of the server. */
  onIntermediary(baseUrl: string): string;
  /** For a response that breaks the contract. */
  onBrokenContract(baseUrl: string): string;
}

/** The part of a request that error messages name. */
export interface RequestTarget {
  method: string;
  path: string;
  baseUrl: string;
  advice: Advice;
}

/** An attempt without a usable response. */
export interface AttemptFailure {
  error: Error;
  retryable: boolean;
  /** What the server asked for with `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The limit on retries that it counts towards; `busy` only towards the deadline. */
  kind: "connection" | "status" | "busy";
}

/** Whether a request that got this status may be retried. A 429 means that it wasn't processed, so any request may. */
export function isRetryableStatus(status: number, idempotent: boolean): boolean {
  const isTransientStatus = status === 408 || (status >= 500 && status !== 501 && status !== 505);
  return status === 429 || (idempotent && isTransientStatus);
}

/** Delay before the first retry, in milliseconds; it doubles with each. */
const minDelayMs = 500;
const maxDelayMs = 20_000;

/** A longer `Retry-After` is capped at this, in milliseconds. */
export const maxRetryAfterMs = 120_000;

/**
 * The delay before retry number `attempt` (from 1), in milliseconds: `Retry-After`, plus up to a quarter so that
 * clients don't return all at once, else an exponential back-off from 0.5 s to 20 s with a jitter of up to half.
 * `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, maxRetryAfterMs) * (1 + random / 4) + random * 100;
  const full = Math.min(minDelayMs * 2 ** (attempt - 1), maxDelayMs);
  return full / 2 + (full / 2) * random;
}

/**
 * `Retry-After` in milliseconds from `nowMs`, from either of its forms (seconds, or an HTTP date); `undefined` when it
 * is neither.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // Date.parse alone accepts almost any text as a date of the past.
  const date = /^[A-Z][a-z]+, .*\bGMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Rate limits remembered at once; beyond that, the one that ends first is dropped. */
const maxRateLimits = 100;

/** The times until which control planes refuse requests of a caller, after a 429. */
class RateLimits {
  readonly #untilMs = new Map<string, number>();

  /** Records the `Retry-After` of a 429; a shorter pause doesn't shorten a longer one. */
  begin(caller: string, nowMs: number, retryAfterMs: number): void {
    const untilMs = nowMs + Math.min(retryAfterMs, maxRetryAfterMs);
    if (untilMs > (this.#untilMs.get(caller) ?? 0)) this.#untilMs.set(caller, untilMs);
    for (const [other, endMs] of this.#untilMs) if (endMs <= nowMs) this.#untilMs.delete(other);
    if (this.#untilMs.size <= maxRateLimits) return;
    const [first] = [...this.#untilMs].sort(([, a], [, b]) => a - b);
    if (first !== undefined) this.#untilMs.delete(first[0]);
  }

  /** The rest of a pause, in milliseconds; 0 when there is none. */
  leftMs(caller: string, nowMs: number): number {
    return Math.max(0, (this.#untilMs.get(caller) ?? 0) - nowMs);
  }
}

const rateLimitsByClock = new WeakMap<Clock, RateLimits>();

/**
 * The rate limits shared by all clients with one clock: the server limits a key, not a client, so in a process that
 * works on many deployments all of them wait.
 */
export function rateLimitsOf(clock: Clock): RateLimits {
  const known = rateLimitsByClock.get(clock);
  if (known !== undefined) return known;
  const limits = new RateLimits();
  rateLimitsByClock.set(clock, limits);
  return limits;
}

/**
 * Whether a read failed for a transient reason, which says nothing about the resource: no connection, an overloaded or
 * broken server, a response damaged in transit. A wait outlasts it.
 */
export function isTransient(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  if (error instanceof ResponseError) return error.damaged;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408);
}

/**
 * Whether an intermediary responded instead of the control plane: a gateway's own 404, a web page, a redirect. At first
 * this means a wrong address; once the control plane has responded, it means a restart or maintenance, which a wait
 * outlasts.
 */
export function isFromIntermediary(error: unknown): error is Error {
  if (error instanceof ResponseError) return error.fromIntermediary;
  return error instanceof NotFoundError && !error.fromControlPlane;
}

/** Whether a write that failed with `error` may still have taken effect, so that it needs a recheck. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.sent;
  if (error instanceof ResponseError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 408);
}

/** Delays before each recheck after an unknown outcome, in milliseconds: the request may still be in progress. */
export const recheckDelaysMs = [500, 1_500, 3_000] as const;

/** How often a write is sent at most while rechecks show that it had no effect. */
export const maxWriteAttempts = 6;
