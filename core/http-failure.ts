import { readConnectionFailure } from "./connection-failure.ts";
import { formatDuration } from "./duration.ts";
import { ConnectionError, TimeoutError } from "./errors.ts";
import type { RequestPlace } from "./http-errors.ts";
import type { Redactor } from "./redact.ts";

/** An attempt that brought no answer that can be used. */
export interface Failure {
  error: Error;
  mayRepeat: boolean;
  /** What the server asked for with `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** Which limit on repetitions it counts towards; `busy` towards none but the deadline. */
  kind: "connection" | "status" | "busy";
}

/** The failure of an attempt that had no answer within its time. */
export function timedOut({ method, path, baseUrl }: RequestPlace, timeoutMs: number, idempotent: boolean): Failure {
  const error = new TimeoutError(`${method} ${path}: no answer from ${baseUrl} within ${formatDuration(timeoutMs)}.`);
  return { error, mayRepeat: idempotent, kind: "connection" };
}

/** The failure of an attempt whose connection broke, or never came about, by the error that undici gave. */
export function connectionFailed(
  { method, path, baseUrl }: RequestPlace,
  cause: unknown,
  idempotent: boolean,
  redactor: Redactor,
): Failure {
  const { message, sent, isHopeless, hint } = readConnectionFailure(cause);
  const text = redactor.text(`${method} ${path}: the connection to ${baseUrl} failed: ${message}.`);
  const error = new ConnectionError(text, { sent, hint });
  return { error, mayRepeat: !isHopeless && (idempotent || !sent), kind: "connection" };
}
