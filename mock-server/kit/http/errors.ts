import { DamagedRecordError } from "../store/damaged-record.ts";
import { StorageError } from "../store/database.ts";
import { HttpError } from "./http-error.ts";
import { type HttpResponse, jsonResponse } from "./http-response.ts";
import type { Middleware } from "./middleware.ts";
import { ClientDisconnected } from "./request-context.ts";
import { isTooLarge, tooLarge } from "./too-large.ts";

/** The response that an error is; other errors than {@link HttpError} are thrown again. */
export function responseOf(error: unknown): HttpResponse {
  if (error instanceof HttpError) return jsonResponse(error.status, { detail: error.detail }, error.headers);
  throw error;
}

/**
 * Turns errors into responses: an {@link HttpError} as it says, anything else into a 500 without details, reported to
 * `onDefect`.
 */
export function errorResponses(onDefect: (error: unknown) => void): Middleware {
  return async (context, next) => {
    try {
      return await next(context);
    } catch (thrown) {
      const error = isTooLarge(thrown) ? tooLarge() : thrown;
      if (error instanceof HttpError) return responseOf(error);
      if (!(error instanceof ClientDisconnected)) onDefect(error);
      if (error instanceof StorageError) return jsonResponse(507, { detail: error.message });
      if (error instanceof DamagedRecordError) return jsonResponse(500, { detail: error.message });
      return jsonResponse(500, { detail: "Internal Server Error" });
    }
  };
}
