import { parseRetryAfter } from "../../core/client/retry.ts";
import type { Clock } from "../../core/time.ts";

/**
 * How long a run waits for GitHub's rate limits in total, in milliseconds: reporting must not delay a deploy for long.
 */
export const rateLimitBudgetMs = 120_000;

/** How often one request is retried after a rate limit. */
const maxRetries = 3;

/** The pause where GitHub names none, in milliseconds: its documentation says at least a minute. */
const unnamedPauseMs = 60_000;

/** An error of a request, as octokit throws it. */
interface RequestFailure {
  status?: unknown;
  message?: unknown;
  response?: { headers?: Readonly<Record<string, unknown>> };
}

/**
 * Whether a request failed because of a rate limit: a 429, or a 403 that names a pause, has no requests remaining, or
 * says so. Other 403s mean a missing permission.
 */
export function isRateLimit(error: unknown): boolean {
  const { status, message = "", response } = error as RequestFailure;
  if (status === 429) return true;
  if (status !== 403 || /not accessible/i.test(String(message))) return false;
  const { "retry-after": retryAfter, "x-ratelimit-remaining": remaining } = response?.headers ?? {};
  return retryAfter !== undefined || String(remaining) === "0" || /rate limit/i.test(String(message));
}

/** How long to wait after a rate limit, in milliseconds. */
export function rateLimitPauseMs(error: unknown, nowMs: number): number {
  const { "retry-after": retryAfter, "x-ratelimit-reset": reset } = (error as RequestFailure).response?.headers ?? {};
  const pauseMs = retryAfter === undefined ? undefined : parseRetryAfter(String(retryAfter), nowMs);
  if (pauseMs !== undefined) return pauseMs;
  // In seconds since the epoch.
  return Number(reset) > 0 ? Math.max(0, Number(reset) * 1_000 - nowMs) : unnamedPauseMs;
}

/**
 * Retries of rate-limited requests within the run's total budget. A limited request had no effect, so any may be
 * retried.
 */
export class RateLimitRetries {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #leftMs = rateLimitBudgetMs;
  /** A limit too long to wait for: until it ends nothing is sent, since that would only prolong it. */
  #limit: { error: unknown; untilMs: number } | undefined;

  /** `signal` aborts when the run is cancelled; then it doesn't wait. */
  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * Retries a request until it isn't limited. @throws the limit's error once the pause exceeds the rest of the budget
   */
  async run<Value>(request: () => Promise<Value>): Promise<Value> {
    for (let retry = 0; ; retry += 1) {
      if (this.#limit !== undefined && this.#clock.now() < this.#limit.untilMs) throw this.#limit.error;
      try {
        return await request();
      } catch (error) {
        if (!isRateLimit(error)) throw error;
        const nowMs = this.#clock.now();
        const pauseMs = rateLimitPauseMs(error, nowMs);
        if (retry >= maxRetries || pauseMs > this.#leftMs || this.#signal?.aborted === true) {
          this.#limit = { error, untilMs: nowMs + pauseMs };
          throw error;
        }
        this.#leftMs -= pauseMs;
        await this.#clock.sleep(pauseMs, this.#signal);
      }
    }
  }
}
