import { Agent, type Dispatcher, EnvHttpProxyAgent, request as undiciRequest } from "undici";
import type { z } from "zod";
import { abortedBy, type Clock, throwIfAborted } from "./clock.ts";
import { readConnectionFailure } from "./connection-failure.ts";
import { formatDuration } from "./duration.ts";
import { type ApiError, ConnectionError, ResponseError, TimeoutError } from "./errors.ts";
import { isLoopback } from "./hosts.ts";
import { htmlHint, toApiError } from "./http-errors.ts";
import type { Logger } from "./logger.ts";
import type { Redactor } from "./redact.ts";
import { parseRetryAfter, retryDelayMs } from "./retry-timing.ts";

/** Limits of one call; all in milliseconds. */
export interface HttpLimits {
  /** One attempt, from sending to the last byte of the answer. Default 30 s. */
  attemptTimeoutMs: number;
  /** The whole call with its repetitions. Default 120 s. */
  deadlineMs: number;
  /** Repetitions after 408 and 5xx. After a 429, which says that the server is well and busy, only the deadline ends them. Default 10. */
  maxRetries: number;
  /** Repetitions after a connection that failed. Default 6, about 20 s. */
  maxConnectionRetries: number;
}

export const defaultHttpLimits: HttpLimits = {
  attemptTimeoutMs: 30_000,
  deadlineMs: 120_000,
  maxRetries: 10,
  maxConnectionRetries: 6,
};

/** The largest body that is read, in bytes: a page of 100 deployments is far below. */
const largestBody = 32 * 1024 * 1024;

export interface HttpOptions {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  random: () => number;
  logger: Logger;
  redactor: Redactor;
  limits: HttpLimits;
  /** Default: an agent that honours `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, except for loopback. */
  dispatcher?: Dispatcher;
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

export interface Answer<Body> {
  status: number;
  body: Body;
  /** The server's clock when it answered, from `Date`; milliseconds since the epoch. */
  serverTimeMs: number | undefined;
}

interface Failure {
  error: Error;
  mayRepeat: boolean;
  retryAfterMs?: number | undefined;
  /** Which limit on repetitions it counts towards; `busy` towards none but the deadline. */
  kind: "connection" | "status" | "busy";
}

/** One request to the control plane: headers, timeout, repetition, proxy, redaction and error mapping. */
export class Http {
  readonly #options: HttpOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#dispatcher = options.dispatcher ?? defaultDispatcher(options.baseUrl);
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
      throwIfAborted(options.signal);
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.attemptTimeoutMs, deadline - clock.now())));
      const outcome = await this.#attempt(options, timeoutMs);
      if (!("error" in outcome)) return outcome;
      failures[outcome.kind] += 1;
      const isSpent = failures.connection > limits.maxConnectionRetries || failures.status > limits.maxRetries;
      const delay = retryDelayMs(attempt, random(), outcome.retryAfterMs);
      if (!outcome.mayRepeat || isSpent || clock.now() + delay >= deadline) throw outcome.error;
      logger.warn(`${outcome.error.message} Trying again in ${formatDuration(delay)}.`, { attempt });
      await clock.sleep(delay, options.signal);
    }
  }

  async #attempt<Body>(options: RequestOptions<Body>, timeoutMs: number): Promise<Answer<Body> | Failure> {
    const timeout = AbortSignal.timeout(timeoutMs);
    // A write that may not be repeated isn't broken off under way: its answer may hold the only word of what it made.
    const abort = options.idempotent ? options.signal : undefined;
    const signal = abort === undefined ? timeout : AbortSignal.any([abort, timeout]);
    const startedAt = this.#options.clock.now();
    try {
      const response = await undiciRequest(this.#url(options), {
        method: options.method,
        headers: {
          accept: "application/json",
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...this.#options.headers,
        },
        body: options.body === undefined ? null : JSON.stringify(options.body),
        dispatcher: this.#dispatcher,
        signal,
      });
      const text = await readText(response.body);
      this.#options.logger.debug(`${options.method} ${options.path} ${response.statusCode}`, {
        durationMs: this.#options.clock.now() - startedAt,
      });
      return this.#read(options, response, text);
    } catch (error) {
      if (abort?.aborted) throw abortedBy(abort);
      if (error instanceof ResponseError) throw error;
      return this.#connectionFailure(options, error, timeout.aborted ? timeoutMs : undefined);
    }
  }

  #url({ path, query = {} }: RequestOptions<unknown>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.toString();
    return `${this.#options.baseUrl}${path}${search === "" ? "" : `?${search}`}`;
  }

  #read<Body>(options: RequestOptions<Body>, response: Dispatcher.ResponseData, text: string): Answer<Body> | Failure {
    const { clock, redactor, baseUrl } = this.#options;
    const header = (name: string): string | undefined => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const where = { method: options.method, path: options.path, baseUrl };
    const status = response.statusCode;
    if (status >= 300 && status < 400) {
      throw new ResponseError(
        `${options.method} ${options.path} answered ${status}, a redirect, which is not followed.`,
        {
          hint: `Check the base URL ${baseUrl}: the API key is never sent to another address.`,
        },
      );
    }
    if (status < 200 || status >= 400) {
      const error: ApiError = toApiError(where, status, text, header("x-request-id"), redactor);
      const rejected = status === 429;
      const repeatable = status === 408 || (status >= 500 && status !== 501 && status !== 505);
      return {
        error,
        mayRepeat: rejected || (options.idempotent && repeatable),
        retryAfterMs: parseRetryAfter(header("retry-after"), clock.now()),
        kind: rejected ? "busy" : "status",
      };
    }
    const date = Date.parse(header("date") ?? "");
    const serverTimeMs = Number.isNaN(date) ? undefined : date;
    const isWebPage = (header("content-type") ?? "").includes("html") || /^\s*</.test(text);
    if (isWebPage) {
      throw new ResponseError(`${options.method} ${options.path} answered a web page instead of JSON.`, {
        hint: htmlHint(baseUrl),
      });
    }
    if (options.schema === undefined) return { status, body: undefined as Body, serverTimeMs };
    const parsed = this.#parse(options, options.schema, text);
    return parsed instanceof ResponseError
      ? { error: parsed, mayRepeat: options.idempotent && parsed.damaged, kind: "connection" }
      : { status, body: parsed.body, serverTimeMs };
  }

  #parse<Body>(
    { method, path }: RequestOptions<Body>,
    schema: z.ZodType<Body>,
    text: string,
  ): { body: Body } | ResponseError {
    const { baseUrl, redactor } = this.#options;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return new ResponseError(
        `${method} ${path} answered ${text === "" ? "an empty body" : "a body that is not JSON (cut off?)"} with a success status.`,
        { damaged: true },
      );
    }
    const result = schema.safeParse(json);
    if (result.success) return { body: result.data };
    const issue = result.error.issues[0];
    const field = issue === undefined || issue.path.length === 0 ? "the body" : issue.path.join(".");
    return new ResponseError(
      redactor.text(`${method} ${path} answered a body that breaks the contract at ${field}: ${issue?.message}.`),
      { path: field, hint: `Check that ${baseUrl} is a control plane of this platform.` },
    );
  }

  #connectionFailure(options: RequestOptions<unknown>, error: unknown, timedOutAfterMs: number | undefined): Failure {
    const { baseUrl, redactor } = this.#options;
    const what = `${options.method} ${options.path}`;
    if (timedOutAfterMs !== undefined) {
      const timeout = new TimeoutError(`${what}: no answer from ${baseUrl} within ${formatDuration(timedOutAfterMs)}.`);
      return { error: timeout, mayRepeat: options.idempotent, kind: "connection" };
    }
    const { message, sent, isHopeless, hint } = readConnectionFailure(error);
    return {
      error: new ConnectionError(redactor.text(`${what}: the connection to ${baseUrl} failed: ${message}.`), {
        sent,
        hint,
      }),
      mayRepeat: !isHopeless && (options.idempotent || !sent),
      kind: "connection",
    };
  }
}

/** The dispatcher for an address: one that honours the proxy variables, except for loopback. Plain http is for loopback alone, so a proxy elsewhere must not get to read it. */
export function defaultDispatcher(baseUrl: string): Dispatcher {
  return isLoopback(new URL(baseUrl).hostname) ? new Agent() : new EnvHttpProxyAgent();
}

async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) {
      throw new ResponseError(
        `The answer is larger than ${largestBody / 1024 / 1024} MiB and was not read to its end.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
