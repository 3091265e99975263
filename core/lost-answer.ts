import { ApiError, ConnectionError, ResponseError } from "./errors.ts";

/** Whether a request that failed with `error` may nevertheless have been carried out, so that only a look at the platform tells. */
export function mayHaveBeenCarriedOut(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.sent;
  if (error instanceof ResponseError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 408);
}

/** Pauses before each look at the platform after a lost answer, in milliseconds: the request may still be under way there. */
export const looksAfterMs = [500, 1_500, 3_000] as const;

/** How often a write is begun again when the platform shows that the one before was not carried out. */
export const mostWrites = 6;
