import { type Dispatcher, request as undiciRequest } from "undici";
import type { z } from "zod";
import { abortedBy, type Clock, throwIfAborted } from "./clock.ts";
import { formatDuration } from "./duration.ts";
import { ResponseError } from "./errors.ts";
import { type Answer, readAnswer, readText } from "./http-answer.ts";
import { connectionFailed, type Failure, timedOut } from "./http-failure.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Logger } from "./logger.ts";
import type { Redactor } from "./redact.ts";
import { pausesOf } from "./request-pauses.ts";
import { retryDelayMs } from "./retry-timing.ts";

export interface HttpOptions {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  random: () => number;
  logger: Logger;
  redactor: Redactor;
  limits: HttpLimits;
  dispatcher: Dispatcher;
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface RequestOptions<Body> {
  method: Method;
  /** Under the base URL, with its placeholders filled and encoded. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** What the answer must be; `undefined` for an empty one. */
  schema: z.ZodType<Body> | undefined;
  /**
   * Whether the request may be sent again when its fate is unknown. Others are only repeated when they surely weren't carried out
   * (429, or no connection).
   */
  idempotent: boolean;
  signal?: AbortSignal | undefined;
  /** Narrower than the client's own, in milliseconds. */
  deadlineMs?: number | undefined;
}

/** One request to the control plane: headers, timeout, repetition, proxy, redaction and error mapping. */
export class Http {
  readonly #options: HttpOptions;
  /** Whom the server's rate limit counts. */
  readonly #asker: string;
  #hasAnswered = false;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { "x-api-key": apiKey, authorization } = options.headers;
    this.#asker = JSON.stringify([new URL(options.baseUrl).origin, apiKey, authorization]);
  }

  /** Whether the control plane itself answered a request, so the address is right: what stands in for it later is an outage. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * @throws {@link ApiError} for any status that isn't a success, {@link ConnectionError}, {@link TimeoutError}, {@link ResponseError}, or
   * {@link Aborted}.
   */
  async request<Body>(options: RequestOptions<Body>): Promise<Answer<Body>> {
    const { clock, random, limits, logger } = this.#options;
    const deadline = clock.now() + Math.min(options.deadlineMs ?? limits.deadlineMs, limits.deadlineMs);
    const failures = { connection: 0, status: 0, busy: 0 };
    for (let attempt = 1; ; attempt += 1) {
      await this.#waitForPause(options, deadline);
      throwIfAborted(options.signal);
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.attemptTimeoutMs, deadline - clock.now())));
      const outcome = await this.#attempt(options, timeoutMs);
      if (!("error" in outcome)) return outcome;
      failures[outcome.kind] += 1;
      if (outcome.kind === "busy" && outcome.retryAfterMs !== undefined) {
        pausesOf(clock).begin(this.#asker, clock.now(), outcome.retryAfterMs);
      }
      const isSpent = failures.connection > limits.maxConnectionRetries || failures.status > limits.maxRetries;
      const delay = retryDelayMs(attempt, random(), outcome.retryAfterMs);
      if (!outcome.mayRepeat || isSpent || clock.now() + delay >= deadline) throw outcome.error;
      logger.warn(`${outcome.error.message} Trying again in ${formatDuration(delay)}.`, { attempt });
      await clock.sleep(delay, options.signal);
    }
  }

  /** Waits while the server asked another request for patience. One that would be late then is sent at once: only the server may refuse it. */
  async #waitForPause({ method, path, signal }: RequestOptions<unknown>, deadline: number): Promise<void> {
    const { clock, random, logger } = this.#options;
    for (;;) {
      const leftMs = pausesOf(clock).leftMs(this.#asker, clock.now());
      if (leftMs === 0) return;
      const delay = retryDelayMs(1, random(), leftMs);
      if (clock.now() + delay >= deadline) return;
      logger.debug(`${method} ${path} waits ${formatDuration(delay)}: the control plane limits the request rate.`);
      await clock.sleep(delay, signal);
    }
  }

  async #attempt<Body>(options: RequestOptions<Body>, timeoutMs: number): Promise<Answer<Body> | Failure> {
    const { baseUrl, clock, dispatcher, headers, logger, redactor } = this.#options;
    const { method, path, body, schema, idempotent } = options;
    const place = { method, path, baseUrl };
    const timeout = AbortSignal.timeout(timeoutMs);
    // A write that may not be repeated isn't broken off under way: its answer may hold the only word of what it made.
    const abort = idempotent ? options.signal : undefined;
    const signal = abort === undefined ? timeout : AbortSignal.any([abort, timeout]);
    const startedAt = clock.now();
    try {
      const response = await undiciRequest(this.#url(options), {
        method,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher,
        signal,
      });
      const text = await readText(response.body);
      logger.debug(`${method} ${path} ${response.statusCode}`, { durationMs: clock.now() - startedAt });
      const answer = readAnswer(response, text, { place, schema, idempotent, nowMs: clock.now(), redactor });
      if (!("error" in answer) && schema !== undefined) this.#hasAnswered = true;
      return answer;
    } catch (error) {
      if (abort?.aborted) throw abortedBy(abort);
      if (error instanceof ResponseError && error.isStandIn && this.#hasAnswered) {
        return { error, mayRepeat: idempotent, kind: "status" };
      }
      if (error instanceof ResponseError) throw error;
      if (timeout.aborted) return timedOut(place, timeoutMs, idempotent);
      return connectionFailed(place, error, idempotent, redactor);
    }
  }

  #url({ path, query = {} }: RequestOptions<unknown>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.toString();
    return `${this.#options.baseUrl}${path}${search === "" ? "" : `?${search}`}`;
  }
}
