import { ApiError, ConnectionError, NotFoundError, ResponseError } from "./errors.ts";

/**
 * Whether a failed reading is an outage that says nothing about what was to be read: no connection, an overloaded or broken server, an answer
 * damaged on its way. Someone who waits goes on waiting.
 */
export function isPassingFailure(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  if (error instanceof ResponseError) return error.damaged;
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408);
}

/**
 * Whether something in front of the control plane answered in its place: a gateway's own 404, a web page, a redirect. At the beginning that means
 * a wrong address; where the control plane answered any request before, it restarts or is maintained, and someone who waits goes on waiting.
 */
export function isStandIn(error: unknown): error is Error {
  if (error instanceof ResponseError) return error.isStandIn;
  return error instanceof NotFoundError && !error.answeredByControlPlane;
}
