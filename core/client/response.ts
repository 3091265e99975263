import type { Dispatcher } from "undici";
import type { z } from "zod";
import type { Redactor } from "../redact.ts";
import {
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerError,
  ValidationError,
} from "./errors.ts";
import { type AttemptFailure, isRetryableStatus, parseRetryAfter, type RequestTarget } from "./retry.ts";
import { errorDetailSchema, httpValidationErrorSchema } from "./wire/conventions.ts";

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Deadline of the call with its retries, in milliseconds. @default that of the client, which is also the maximum */
  deadlineMs?: number | undefined;
}

export interface ApiRequest<Body> extends CallOptions {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Relative to the base URL, with encoded parameters. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** With neutral names, which the client converts to the server's dialect. */
  body?: object | undefined;
  /** Validates the response's body; `undefined` where the body is ignored. */
  schema: z.ZodType<Body> | undefined;
  /** Values of the body that error messages don't repeat, at any depth. @default none */
  sensitive?: unknown;
  /**
   * Whether it may be retried after an unknown outcome. Other requests are retried only if they certainly had no effect
   * (429, or no connection).
   */
  idempotent: boolean;
}

/** A successful response. */
export interface ApiResponse<Body> {
  status: number;
  body: Body;
  /** The server's time when it responded, from the header `Date`, in milliseconds since the epoch. */
  serverTimeMs: number | undefined;
}

/** Sends a request through the pipeline of a client. */
export type SendRequest = <Body>(request: ApiRequest<Body>) => Promise<ApiResponse<Body>>;

export interface ResponseContext<Body> {
  target: RequestTarget;
  /** Validates the body; `undefined` where the body is ignored. */
  schema: z.ZodType<Body> | undefined;
  /** Whether the request may be retried after an unknown outcome. */
  idempotent: boolean;
  /** This process's time, in milliseconds since the epoch. */
  nowMs: number;
  redactor: Redactor;
}

/**
 * Reads a response as a success or as a failure, which says whether it may be retried.
 * @throws {@link ResponseError} for what a retry doesn't fix: a redirect, a web page
 */
export function readResponse<Body>(
  response: Dispatcher.ResponseData,
  text: string,
  context: ResponseContext<Body>,
): ApiResponse<Body> | AttemptFailure {
  const { target, schema, idempotent, nowMs, redactor } = context;
  const { method, path, baseUrl, advice } = target;
  const status = response.statusCode;
  if (status >= 300 && status < 400) {
    throw new ResponseError(`${method} ${path} responded with ${status}, a redirect, which is not followed.`, {
      hint: `Check the base URL ${baseUrl}: the API key is never sent to another address.`,
      fromIntermediary: true,
    });
  }
  if (status < 200 || status >= 400) {
    return {
      error: toApiError(target, status, text, headerOf(response, "x-request-id"), redactor),
      retryable: isRetryableStatus(status, idempotent),
      retryAfterMs: parseRetryAfter(headerOf(response, "retry-after"), nowMs),
      kind: status === 429 ? "busy" : "status",
    };
  }
  const date = Date.parse(headerOf(response, "date") ?? "");
  const serverTimeMs = Number.isNaN(date) ? undefined : date;
  const isWebPage = (headerOf(response, "content-type") ?? "").includes("html") || /^\s*</.test(text);
  if (isWebPage) {
    throw new ResponseError(`${method} ${path} responded with a web page instead of JSON.`, {
      hint: advice.onIntermediary(baseUrl),
      fromIntermediary: true,
    });
  }
  if (schema === undefined) return { status, body: undefined as Body, serverTimeMs };
  const parsed = parseBody(text, schema, context);
  return parsed instanceof ResponseError
    ? { error: parsed, retryable: idempotent && parsed.damaged, kind: "connection" }
    : { status, body: parsed.body, serverTimeMs };
}

function parseBody<Body>(
  text: string,
  schema: z.ZodType<Body>,
  { target: { method, path, baseUrl, advice }, redactor }: ResponseContext<Body>,
): { body: Body } | ResponseError {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return new ResponseError(
      `${method} ${path} responded with ${text === "" ? "an empty body" : "a body that is not JSON (cut off?)"} with a success status.`,
      { damaged: true },
    );
  }
  const result = schema.safeParse(json);
  if (result.success) return { body: result.data };
  const issue = result.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? "the body" : issue.path.join(".");
  return new ResponseError(
    redactor.text(`${method} ${path} responded with a body that breaks the contract at ${field}: ${issue?.message}.`),
    { path: field, hint: advice.onBrokenContract(baseUrl) },
  );
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The largest body that is read; a page of 100 deployments is far smaller. */
const maxBodyBytes = 32 * 1024 * 1024;

/**
 * The text of a body.
 * @throws {@link ResponseError} when it is larger than 32 MiB
 */
export async function readBody(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      throw new ResponseError(
        `The response is larger than ${maxBodyBytes / 1024 / 1024} MiB, so it was not read to its end.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The most characters of a response's detail that an error message quotes. */
const maxDetailLength = 500;

/**
 * The error for a status that isn't a success. What it quotes of `text`, the raw body, is redacted after decoding,
 * since a pattern doesn't match JSON escapes, and before truncation, since half a secret isn't recognized.
 */
export function toApiError(
  target: RequestTarget,
  status: number,
  text: string,
  requestId: string | undefined,
  redactor: Redactor,
): ApiError {
  const { detail, locations, fromControlPlane } = readDetail(text, redactor);
  const options: ApiErrorOptions = {
    status,
    method: target.method,
    path: target.path,
    detail,
    requestId,
    fromControlPlane,
    hint:
      status === 404 && !fromControlPlane
        ? target.advice.onIntermediary(target.baseUrl)
        : target.advice.onStatus(status),
  };
  if (status === 400) return new BadRequestError(options);
  if (status === 401) return new AuthenticationError(options);
  if (status === 403) return new PermissionError(options);
  if (status === 404) return new NotFoundError(options);
  if (status === 409) return new ConflictError(options);
  if (status === 422) return new ValidationError({ ...options, locations });
  if (status === 429) return new RateLimitError(options);
  if (status >= 500) return new ServerError(options);
  return new ApiError(options);
}

function readDetail(
  text: string,
  redactor: Redactor,
): { detail: string; locations: string[]; fromControlPlane: boolean } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const start = text.trimStart().startsWith("<") ? "a web page" : truncated(redactor.text(text.trim()));
    return { detail: start === "" ? "no message" : start, locations: [], fromControlPlane: false };
  }
  const simple = errorDetailSchema.safeParse(json);
  if (simple.success) {
    return { detail: truncated(redactor.text(simple.data.detail)), locations: [], fromControlPlane: true };
  }
  const validation = httpValidationErrorSchema.safeParse(json);
  if (validation.success) {
    const problems = validation.data.detail.map(({ loc, msg }) => ({ location: redactor.text(loc.join(".")), msg }));
    const detail = redactor.text(problems.map(({ location, msg }) => `${location}: ${msg}`).join("; "));
    return {
      detail: truncated(detail),
      locations: problems.map(({ location }) => location),
      fromControlPlane: true,
    };
  }
  const detail = truncated(JSON.stringify(redactor.deep(json)));
  return { detail, locations: [], fromControlPlane: false };
}

function truncated(detail: string): string {
  const text = detail.replace(/\.$/, "");
  return text.length <= maxDetailLength ? text : `${text.slice(0, maxDetailLength)}…`;
}
