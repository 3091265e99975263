import { parseRetryAfter } from "../../core/client/retry.ts";
import type { Clock } from "../../core/clock.ts";

/** All that a run waits for GitHub's rate limits, in milliseconds: a deploy isn't held up for long over what only reports it. */
export const rateLimitBudgetMs = 120_000;

/** How often one request is sent again after a rate limit. */
const maxRetries = 3;

/** What GitHub asks for where it names no time: at least a minute. */
const unnamedPauseMs = 60_000;

/** An error of a request, as octokit throws it. */
interface RequestFailure {
  status?: unknown;
  message?: unknown;
  response?: { headers?: Readonly<Record<string, unknown>> };
}

/**
 * Whether a request failed over a rate limit: 429, or a 403 that names a pause, that used up the last request, or that says so. A missing permission
 * is a 403, too.
 */
export function isRateLimit(error: unknown): boolean {
  const { status, message = "", response } = error as RequestFailure;
  if (status === 429) return true;
  if (status !== 403 || /not accessible/i.test(String(message))) return false;
  const { "retry-after": retryAfter, "x-ratelimit-remaining": remaining } = response?.headers ?? {};
  return retryAfter !== undefined || String(remaining) === "0" || /rate limit/i.test(String(message));
}

/** How long GitHub asks to wait after a rate limit, in milliseconds. */
export function rateLimitPauseMs(error: unknown, nowMs: number): number {
  const { "retry-after": retryAfter, "x-ratelimit-reset": reset } = (error as RequestFailure).response?.headers ?? {};
  const pauseMs = retryAfter === undefined ? undefined : parseRetryAfter(String(retryAfter), nowMs);
  if (pauseMs !== undefined) return pauseMs;
  // In seconds since the epoch.
  return Number(reset) > 0 ? Math.max(0, Number(reset) * 1_000 - nowMs) : unnamedPauseMs;
}

/** The time that one run waits for GitHub's rate limits, over all requests. A limited request had no effect, so each may be retried. */
export class RateLimitRetries {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #leftMs = rateLimitBudgetMs;
  /** The limit that was given up on: until its end nothing is sent, which would only prolong it. */
  #limit: { error: unknown; untilMs: number } | undefined;

  /** `signal` aborts when the run is cancelled; then it doesn't wait. */
  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Runs a request until it isn't limited, or until GitHub asks for a longer pause than is left. */
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
