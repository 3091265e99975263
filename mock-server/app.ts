import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { type AdminActions, serveAdmin } from "./admin/admin-routes.ts";
import { serveAgents } from "./agent-server/agent-routes.ts";
import { controlPlaneRoutes, editionPrefixes, serveControlPlane } from "./control-plane/control-plane.ts";
import { applyFault, isHandled } from "./faults/fault-effects.ts";
import { HttpError } from "./http-error.ts";
import type { Mock } from "./mock.ts";
import { serveOAuth } from "./oauth/oauth-routes.ts";
import { operationFinder } from "./openapi/operation.ts";
import { readText } from "./openapi/request.ts";
import { sendJson } from "./openapi/response.ts";
import type { MockApp, MockEnvironment, MockRequest } from "./openapi/route.ts";
import { serveUploads } from "./uploads/upload-routes.ts";

/** What the app needs from the server around it. */
export interface AppSurroundings extends AdminActions {
  /** @throws {HttpError} 403 for a request that the admin API isn't for. */
  guardAdmin(context: MockRequest): void;
  /** Called with what went wrong inside the server, which is a defect of it. */
  onDefect(error: Error): void;
}

const findOperation = operationFinder(controlPlaneRoutes);

/** All of a mock server's HTTP: both control planes, the agent servers and the admin API. */
export function createApp(mock: Mock, surroundings: AppSurroundings): MockApp {
  const app: MockApp = new Hono<MockEnvironment>();

  app.use("/_mock/*", async (context, next) => {
    context.set("requestId", mock.ids.uuid());
    surroundings.guardAdmin(context);
    await next();
  });
  app.use(async (context, next) => {
    if (context.req.path.startsWith("/_mock/")) return next();
    const requestId = mock.ids.uuid();
    context.set("requestId", requestId);
    const time = mock.clock.now();
    const effect = mock.faults.isEmpty ? undefined : takeFault(mock, context);
    if (effect === undefined) {
      await next();
    } else {
      const { "content-length": declared } = context.req.header();
      // What handles a request reads its body itself, in its own way and within its own limit.
      const isUnread = declared !== undefined && declared !== "0" && !isHandled(effect);
      if (isUnread) await readText(context).catch(() => undefined);
      const response = await applyFault(context, effect, async () => {
        await next();
        return context.res;
      });
      // A response that is put in another's place takes over its headers, unless there is none to replace.
      context.res = undefined;
      context.res = response;
    }
    if (context.get("responseHeaders") === undefined || effect !== undefined) identify(context, requestId);
    record(mock, context, time);
  });

  serveAdmin(app, mock, surroundings);
  serveControlPlane(app, mock, "cloud");
  serveControlPlane(app, mock, "self-hosted");
  serveAgents(app, mock);
  serveUploads(app, mock);
  serveOAuth(app, mock);

  app.notFound((context) => sendJson(context, 404, { detail: "Not Found" }));
  app.onError((error, context) => {
    if (error instanceof HttpError) return sendJson(context, error.status, { detail: error.detail }, error.headers);
    surroundings.onDefect(error);
    return sendJson(context, 500, { detail: "Internal Server Error" });
  });
  return app;
}

/** Whether there is an answer to send, rather than a connection that a fault has broken off. */
function isAnswered(response: Response): boolean {
  return response !== RESPONSE_ALREADY_SENT;
}

function takeFault(mock: Mock, context: MockRequest) {
  const { method, path } = context.req;
  return mock.faults.take({
    method,
    path,
    tenant: context.req.header("x-tenant-id"),
    operation: () => operationOf(method, path),
  });
}

function operationOf(method: string, path: string): string | undefined {
  const prefix = editionPrefixes["self-hosted"];
  return findOperation(method, path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path);
}

/** Gives a response that wasn't made by {@link sendJson} its request id. */
function identify(context: MockRequest, requestId: string): void {
  if (!isAnswered(context.res)) return;
  context.res.headers.set("x-request-id", requestId);
  context.set("responseHeaders", Object.fromEntries(context.res.headers));
}

function record(mock: Mock, context: MockRequest, time: number): void {
  const { res, req } = context;
  const hasAnswer = isAnswered(res);
  const { incoming } = context.env as unknown as HttpBindings;
  mock.journal.add({
    id: context.get("requestId"),
    time,
    method: req.method,
    path: incoming.url ?? req.path,
    operation: context.get("operation") ?? operationOf(req.method, req.path) ?? null,
    tenant: context.get("tenant") ?? req.header("x-tenant-id") ?? null,
    status: hasAnswer ? res.status : null,
    request: { headers: incoming.rawHeaders, body: context.get("requestText") ?? null },
    response: {
      headers: hasAnswer ? (context.get("responseHeaders") ?? {}) : {},
      body: hasAnswer ? (context.get("responseText") ?? null) : null,
    },
  });
}
