import { DamagedRecordError } from "../store/damaged-record.ts";
import { StorageError } from "../store/database.ts";
import { HttpError } from "./http-error.ts";
import { jsonResponse } from "./http-response.ts";
import type { Middleware } from "./middleware.ts";
import { ClientDisconnected } from "./request-context.ts";
import { isTooLarge, tooLarge } from "./too-large.ts";

/** Turns what was thrown into a response: an {@link HttpError} as it says, anything else into a 500, without details unless a record is damaged, which `onDefect` gets. */
export function errorResponses(onDefect: (error: unknown) => void): Middleware {
  return async (context, next) => {
    try {
      return await next(context);
    } catch (thrown) {
      const error = isTooLarge(thrown) ? tooLarge() : thrown;
      if (error instanceof HttpError) return jsonResponse(error.status, { detail: error.detail }, error.headers);
      if (!(error instanceof ClientDisconnected)) onDefect(error);
      if (error instanceof StorageError) return jsonResponse(507, { detail: error.message });
      if (error instanceof DamagedRecordError) return jsonResponse(500, { detail: error.message });
      return jsonResponse(500, { detail: "Internal Server Error" });
    }
  };
}
