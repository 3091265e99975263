import { type AdminOptions, serveAdmin } from "./admin/admin-routes.ts";
import { faultInjection } from "./faults/fault-injection.ts";
import { recording } from "./journal/recording.ts";
import { errorResponses } from "./kit/http/errors.ts";
import { type Handler, jsonResponse } from "./kit/http/http-response.ts";
import { chain, type Middleware } from "./kit/http/middleware.ts";
import type { RequestContext } from "./kit/http/request-context.ts";
import { type Endpoint, Router } from "./kit/http/router.ts";
import type { IdSource } from "./kit/ids.ts";

export interface AppOptions {
  ids: IdSource;
  admin: AdminOptions;
  /** Adds the public routes: all but the admin API. */
  serve(router: Router<Endpoint>): void;
  /** Refuses requests with an unknown Host; absent: all are served. */
  guardHost: Middleware | undefined;
  /** @throws {HttpError} 403 for a request that may not use the admin API. */
  guardAdmin(context: RequestContext): void;
  /** Called with errors that are defects of the server. */
  onDefect(error: unknown): void;
}

/** The HTTP handler of a mock server: both control planes, the agent servers and the admin API. */
export function createApp({ ids, admin: adminOptions, serve, guardHost, guardAdmin, onDefect }: AppOptions): Handler {
  const { journal, clock, faults } = adminOptions;
  const admin = new Router<Handler>();
  serveAdmin((method, path, handle) => admin.on(method, path, handle), adminOptions);
  const router = new Router<Endpoint>();
  serve(router);

  const requestIds: Middleware = async (context, next) => {
    context.requestId = ids.uuid();
    const response = await next(context);
    return { ...response, headers: { ...response.headers, "x-request-id": context.requestId } };
  };
  const handleAdmin = chain(errorResponses(onDefect), (context) => {
    guardAdmin(context);
    const found = admin.find(context.method, context.rawPath);
    if (!found) return notFound;
    context.params = found.params;
    return found.target(context);
  });
  /** Faults and the journal refer to operations, so routing comes before them. */
  const handlePublic: Handler = (context) => {
    const found = router.find(context.method, context.rawPath);
    if (found) context.params = found.params;
    context.operation = found?.target.operation ?? null;
    return chain(
      recording(journal, clock),
      ...(guardHost ? [guardHost] : []),
      faultInjection(faults),
      errorResponses(onDefect),
      found?.target.handle ?? (() => unmatched(router, context.rawPath)),
    )(context);
  };
  // Outermost, so that failures before the request has an id are responses too.
  return chain(errorResponses(onDefect), requestIds, (context) =>
    context.rawPath.startsWith("/_mock/") ? handleAdmin(context) : handlePublic(context),
  );
}

const notFound = jsonResponse(404, { detail: "Not Found" });

function unmatched(router: Router<Endpoint>, path: string) {
  const methods = router.methodsOf(path);
  return methods ? jsonResponse(405, { detail: "Method Not Allowed" }, { allow: methods.join(", ") }) : notFound;
}
