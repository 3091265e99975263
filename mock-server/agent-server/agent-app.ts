import { errorResponses } from "../kit/http/errors.ts";
import { escapeHtml } from "../kit/http/html-page.ts";
import { HttpError } from "../kit/http/http-error.ts";
import type { Handler, HttpResponse } from "../kit/http/http-response.ts";
import { chain } from "../kit/http/middleware.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { Router } from "../kit/http/router.ts";
import { referenceAsset, referencePage } from "../kit/openapi/reference-page.ts";
import { ignoredParts } from "../kit/operation/ignored-parts.ts";
import { requestReader } from "../kit/operation/request-reader.ts";
import { type AgentRoute, agentDocument, agentValidationStyle } from "./agent-route.ts";
import type { AgentSettings } from "./agent-runtime.ts";
import { type CheckKey, isOpenAgentPath } from "./agent-server.ts";
import { assistantRoutes } from "./assistants/assistant-routes.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import { authenticated, authorized } from "./auth/gate.ts";
import { forAnyOrigin, preflight } from "./cors.ts";
import type { Agent } from "./create-agent.ts";
import { cronRoutes } from "./crons/cron-routes.ts";
import { GraphError } from "./engine/contract.ts";
import { inertParts } from "./inert-parts.ts";
import { isForOperators, refuseForeignPages } from "./operator-paths.ts";
import { joinRoutes } from "./runs/join-routes.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { statelessRunRoutes } from "./runs/stateless-run-routes.ts";
import { storeRoutes } from "./store/store-routes.ts";
import { systemRoutes } from "./system/system-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { threadStateRoutes } from "./threads/thread-state-routes.ts";

/** Every operation of an agent server. */
export const agentServerRoutes: readonly AgentRoute[] = [
  ...assistantRoutes,
  ...threadRoutes,
  ...threadStateRoutes,
  ...cronRoutes,
  ...runRoutes,
  ...joinRoutes,
  ...statelessRunRoutes,
  ...storeRoutes,
  ...systemRoutes,
];

/** One request to an agent server: whose it is, and its path from the agent server's own root. */
export interface AgentRequest {
  agent: Agent;
  /** Encoded. */
  path: string;
  title: string;
  context: RequestContext;
  /** The project's own handlers; `null`: whoever the server has let in may do everything. */
  auth: AuthHandlers | null;
  checkKey: CheckKey;
}

/** `user` is absent where nobody has to be known. */
type AgentHandler = (request: AgentRequest, user: AuthUser | undefined) => HttpResponse | Promise<HttpResponse>;

/** The HTTP of agent servers: one app for all of them. */
export function createAgentApp({
  bodyLimitBytes,
}: Pick<AgentSettings, "bodyLimitBytes">): (request: AgentRequest) => Promise<HttpResponse> {
  const router = new Router<AgentHandler>();
  const documents = new Map<boolean, string>();
  router.onlyOn("GET", "/openapi.json", ({ auth, checkKey }) => {
    const needsKeys = auth === null && checkKey !== null;
    const json = documents.get(needsKeys) ?? JSON.stringify(agentDocument(agentServerRoutes, needsKeys));
    documents.set(needsKeys, json);
    return { status: 200, json };
  });
  router.onlyOn("GET", "/docs", ({ title }) => referencePage(escapeHtml(title)));
  router.on("GET", "/docs/{asset}", ({ context }) => referenceAsset(context.param("asset")));
  for (const route of agentServerRoutes) {
    router.onlyOn(route.method.toUpperCase(), route.path, handlerOf(route, bodyLimitBytes));
  }

  const find = (path: string, context: RequestContext): AgentHandler => {
    const found = router.find(context.method, path);
    if (found) {
      context.params = found.params;
      return found.target;
    }
    const methods = router.methodsOf(path);
    if (methods) throw new HttpError(405, "Method Not Allowed", { allow: methods.join(", ") });
    throw new HttpError(404, "Not Found");
  };
  return async (request) => {
    const { path, auth, checkKey } = request;
    const isForPages = !isForOperators(path);
    const handle: Handler = async (context) => {
      if (!isForPages) refuseForeignPages(context);
      const user = auth && !isOpenAgentPath(path) ? await authenticated(auth, context, checkKey) : undefined;
      return find(path, context)(request, user);
    };
    if (request.context.method === "OPTIONS" && isForPages) return preflight(request.context);
    const response = await chain(errorResponses(request.agent.onDefect), handle)(request.context);
    return isForPages ? forAnyOrigin(response) : response;
  };
}

function handlerOf(route: AgentRoute, bodyLimitBytes: number): AgentHandler {
  const read = requestReader(route, agentValidationStyle(bodyLimitBytes));
  return async ({ agent, context, auth }, user) => {
    const valid = await read(context);
    for (const part of ignoredParts(route, valid, inertParts)) agent.warn(part);
    const { caller, request } =
      auth && user ? await authorized(auth, user, route, valid, agent.lookUps) : { caller: null, request: valid };
    const call = {
      ...agent.servicesFor(caller),
      // Few handlers look at the headers.
      get headers() {
        return context.headers;
      },
      ...request,
    };
    try {
      return await route.handle(call as Parameters<typeof route.handle>[0]);
    } catch (error) {
      throw error instanceof GraphError ? new HttpError(422, error.message) : error;
    }
  };
}
