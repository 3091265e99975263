import { type Dispatcher, request as sendRequest } from "undici";
import type { Logger, Redactor } from "../redact.ts";
import { abortedBy, type Clock, formatDuration, throwIfAborted } from "../time.ts";
import { connectionFailed, timedOut } from "./connection.ts";
import { ApiError, ResponseError } from "./errors.ts";
import { type ApiRequest, type ApiResponse, readBody, readResponse } from "./response.ts";
import { type Advice, type AttemptFailure, type RequestLimits, rateLimitsOf, retryDelayMs } from "./retry.ts";
import { RetryNotices } from "./retry-notices.ts";
import type { WireNaming } from "./wire/conventions.ts";

export interface PipelineOptions {
  baseUrl: string;
  /** Sent with every request, the API key among them. */
  headers: Readonly<Record<string, string>>;
  /** @default bodies are sent and read as they are */
  naming?: WireNaming;
  advice: Advice;
  limits: RequestLimits;
  dispatcher: Dispatcher;
  redactor: Redactor;
  logger: Logger;
  clock: Clock;
  /** Returns a number in [0, 1) for jitter. */
  random: () => number;
}

/**
 * What every request passes through: wire naming, rate limit, attempts with back-off, and validation and redaction of
 * the response.
 */
export class RequestPipeline {
  readonly #options: PipelineOptions;
  /** Identifies whom the server's rate limit counts: the origin with the key. */
  readonly #caller: string;
  readonly #notices: RetryNotices;
  #hasResponded = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#notices = new RetryNotices(options);
    const { "x-api-key": apiKey, authorization } = options.headers;
    this.#caller = JSON.stringify([new URL(options.baseUrl).origin, apiKey, authorization]);
  }

  /**
   * Whether the server itself has responded: then the address is right, and an intermediary's response means an outage.
   */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /**
   * @throws {@link ApiError} for any status that isn't a success, {@link ConnectionError}, {@link TimeoutError}, {@link
   * ResponseError}, {@link Aborted}
   */
  async send<Body>(request: ApiRequest<Body>): Promise<ApiResponse<Body>> {
    const { clock, random, limits } = this.#options;
    const deadline = clock.now() + Math.min(request.deadlineMs ?? limits.deadlineMs, limits.deadlineMs);
    const failures = { connection: 0, status: 0, busy: 0 };
    for (let attempt = 1; ; attempt += 1) {
      await this.#waitForRateLimit(request, deadline);
      throwIfAborted(request.signal);
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.attemptTimeoutMs, deadline - clock.now())));
      const outcome = await this.#attempt(request, timeoutMs);
      if (!("error" in outcome)) {
        this.#notices.responds(request.path);
        return outcome;
      }
      const { error, kind, retryable, retryAfterMs } = outcome;
      if (!retryable && error instanceof ApiError && error.fromControlPlane) this.#notices.responds(request.path);
      failures[kind] += 1;
      if (kind === "busy" && retryAfterMs !== undefined) {
        rateLimitsOf(clock).begin(this.#caller, clock.now(), retryAfterMs);
      }
      const isSpent = failures.connection > limits.maxConnectionRetries || failures.status > limits.maxRetries;
      const delay = retryDelayMs(attempt, random(), retryAfterMs);
      if (!retryable || isSpent || clock.now() + delay >= deadline) throw error;
      this.#notices.retries(request.path, outcome, delay);
      await clock.sleep(delay, request.signal);
    }
  }

  /**
   * Waits while the server limits the rate of this key. A request whose deadline is earlier is sent at once: only the
   * server may refuse it.
   */
  async #waitForRateLimit({ method, path, signal }: ApiRequest<unknown>, deadline: number): Promise<void> {
    const { clock, random, logger } = this.#options;
    for (;;) {
      const leftMs = rateLimitsOf(clock).leftMs(this.#caller, clock.now());
      if (leftMs === 0) return;
      const delay = retryDelayMs(1, random(), leftMs);
      if (clock.now() + delay >= deadline) return;
      logger.debug(`${method} ${path} waits ${formatDuration(delay)}: the server limits the request rate.`);
      await clock.sleep(delay, signal);
    }
  }

  async #attempt<Body>(request: ApiRequest<Body>, timeoutMs: number): Promise<ApiResponse<Body> | AttemptFailure> {
    const { baseUrl, advice, clock, dispatcher, headers, logger, naming } = this.#options;
    const { method, path, body, sensitive, idempotent } = request;
    const redactor = sensitive === undefined ? this.#options.redactor : this.#options.redactor.with(textsIn(sensitive));
    const target = { method, path, baseUrl, advice };
    const timeout = AbortSignal.timeout(timeoutMs);
    // A write that can't be retried isn't aborted in progress: its response may be the only record of what it created.
    const abort = idempotent ? request.signal : undefined;
    const startedAt = clock.now();
    try {
      const response = await sendRequest(this.#url(request), {
        method,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(naming?.toWire(body) ?? body),
        dispatcher,
        signal: abort === undefined ? timeout : AbortSignal.any([abort, timeout]),
      });
      const text = await readBody(response.body);
      logger.debug(`${method} ${path} ${response.statusCode}`, { durationMs: clock.now() - startedAt });
      const schema = request.schema && (naming?.fromWire(request.schema) ?? request.schema);
      const outcome = readResponse(response, text, { target, schema, idempotent, nowMs: clock.now(), redactor });
      if (!("error" in outcome) && schema !== undefined) this.#hasResponded = true;
      return outcome;
    } catch (error) {
      if (abort?.aborted) throw abortedBy(abort);
      if (error instanceof ResponseError && error.fromIntermediary && this.#hasResponded) {
        return { error, retryable: idempotent, kind: "status" };
      }
      if (error instanceof ResponseError) throw error;
      if (timeout.aborted) return timedOut(target, timeoutMs, idempotent);
      return connectionFailed(target, error, idempotent, redactor);
    }
  }

  #url({ path, query = {} }: ApiRequest<unknown>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.toString();
    return `${this.#options.baseUrl}${path}${search === "" ? "" : `?${search}`}`;
  }
}

/** The texts and numbers in a JSON-like value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
