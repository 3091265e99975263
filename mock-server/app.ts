import { type AdminOptions, serveAdmin } from "./admin/admin-routes.ts";
import { faultInjection } from "./faults/fault-injection.ts";
import { recording } from "./journal/recording.ts";
import { errorResponses } from "./kit/http/errors.ts";
import { type Handler, jsonResponse } from "./kit/http/http-response.ts";
import { chain, type Middleware } from "./kit/http/middleware.ts";
import type { RequestContext } from "./kit/http/request-context.ts";
import { type Endpoint, Router } from "./kit/http/router.ts";
import type { IdSource } from "./kit/ids.ts";

/** What the app is made of. */
export interface AppOptions {
  ids: IdSource;
  admin: AdminOptions;
  /** Adds what is served to everybody. */
  serve(router: Router<Endpoint>): void;
  /** Refuses requests for hosts that the server isn't for; absent where it serves all. */
  guardHost: Middleware | undefined;
  /** @throws {HttpError} 403 for a request that the admin API isn't for. */
  guardAdmin(context: RequestContext): void;
  /** Called with what went wrong inside the server, which is a defect of it. */
  onDefect(error: unknown): void;
}

/** All of a mock server's HTTP: both control planes, the agent servers and the admin API. */
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
  /** Faults and the journal go by operations, so the route is found first. */
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
  // What fails before its request has an identifier fails in order, too.
  return chain(errorResponses(onDefect), requestIds, (context) =>
    context.rawPath.startsWith("/_mock/") ? handleAdmin(context) : handlePublic(context),
  );
}

const notFound = jsonResponse(404, { detail: "Not Found" });

function unmatched(router: Router<Endpoint>, path: string) {
  const methods = router.methodsOf(path);
  return methods ? jsonResponse(405, { detail: "Method Not Allowed" }, { allow: methods.join(", ") }) : notFound;
}
