import type { Clock } from "../kit/clock.ts";
import { serialized } from "../kit/http/http-response.ts";
import type { Middleware } from "../kit/http/middleware.ts";
import type { Journal } from "./journal.ts";

/** Records each request and its response in the journal. */
export function recording(journal: Journal, clock: Clock): Middleware {
  return async (context, next) => {
    const time = clock.now();
    const response = serialized(await next(context));
    // A client gets no response if it has disconnected or a fault closes its connection.
    const isSent = !response.disruption && !context.isDisconnected;
    journal.add({
      id: context.requestId,
      time,
      method: context.method,
      path: context.target,
      operation: context.operation,
      tenant: context.tenant ?? context.header("x-tenant-id") ?? null,
      status: isSent ? response.status : null,
      requestHeaders: context.headerLines,
      requestBody: context.requestText ?? null,
      responseHeaders: (isSent && response.headers) || {},
      responseBody: (isSent && response.json) || null,
    });
    return response;
  };
}
