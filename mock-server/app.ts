import { type AdminActions, serveAdmin } from "./admin/admin-routes.ts";
import { serveAgents } from "./agent-server/agent-routes.ts";
import { controlPlaneRoutes, serveControlPlane } from "./control-plane/control-plane.ts";
import { serveUploads, uploadOperation } from "./control-plane/uploads/upload-routes.ts";
import { faultInjection } from "./faults/fault-injection.ts";
import { recording } from "./journal/recording.ts";
import { errorResponses } from "./kit/http/errors.ts";
import { type Handler, jsonResponse } from "./kit/http/http-response.ts";
import { chain, type Middleware } from "./kit/http/middleware.ts";
import type { RequestContext } from "./kit/http/request-context.ts";
import { type Endpoint, Router } from "./kit/http/router.ts";
import type { Mock } from "./mock.ts";
import { serveOAuth } from "./oauth/oauth-routes.ts";

/** What the app needs from the server around it. */
export interface AppSurroundings extends AdminActions {
  /** @throws {HttpError} 403 for a request that the admin API isn't for. */
  guardAdmin(context: RequestContext): void;
  /** Called with what went wrong inside the server, which is a defect of it. */
  onDefect(error: unknown): void;
}

/** All of a mock server's HTTP: both control planes, the agent servers and the admin API. */
export function createApp(mock: Mock, surroundings: AppSurroundings): Handler {
  const { guardAdmin, onDefect } = surroundings;
  const admin = new Router<Handler>();
  serveAdmin((method, path, handle) => admin.on(method, path, handle), mock, surroundings);
  const router = new Router<Endpoint>();
  serveControlPlane(router, mock, "cloud");
  serveControlPlane(router, mock, "self-hosted");
  serveAgents(router, mock);
  serveUploads(router, mock);
  serveOAuth(router, mock);

  const requestIds: Middleware = async (context, next) => {
    context.requestId = mock.ids.uuid();
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
      recording(mock.journal, mock.clock),
      faultInjection(mock.faults),
      errorResponses(onDefect),
      found?.target.handle ?? (() => unmatched(router, context.rawPath)),
    )(context);
  };
  return chain(requestIds, (context) =>
    context.rawPath.startsWith("/_mock/") ? handleAdmin(context) : handlePublic(context),
  );
}

/** The ids of all operations that a request can belong to. */
export const operationIds: readonly string[] = [...controlPlaneRoutes.map(({ id }) => id), uploadOperation];

const notFound = jsonResponse(404, { detail: "Not Found" });

function unmatched(router: Router<Endpoint>, path: string) {
  const methods = router.methodsOf(path);
  return methods ? jsonResponse(405, { detail: "Method Not Allowed" }, { allow: methods.join(", ") }) : notFound;
}
