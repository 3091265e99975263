import { ApiError, ConnectionError, ResponseError } from "./errors.ts";

/**
 * Whether a failed reading is an outage that says nothing about what was to be read: no connection, an overloaded or broken server, an answer
 * damaged on its way. Someone who waits goes on waiting.
 */
export function isPassingFailure(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  if (error instanceof ResponseError) return error.damaged;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408);
}
