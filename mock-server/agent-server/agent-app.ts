import { errorResponses } from "../kit/http/errors.ts";
import { escapeHtml } from "../kit/http/html-page.ts";
import { HttpError } from "../kit/http/http-error.ts";
import type { Handler, HttpResponse } from "../kit/http/http-response.ts";
import { chain } from "../kit/http/middleware.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { Router } from "../kit/http/router.ts";
import { referenceAsset, referencePage } from "../kit/openapi/reference-page.ts";
import { ignoredParts } from "../kit/operation/ignored-parts.ts";
import type { ValidRequest } from "../kit/operation/operation.ts";
import { requestReader } from "../kit/operation/request-reader.ts";
import { a2aRoutes } from "./a2a/a2a-routes.ts";
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
import { eventRoutes } from "./event-streaming/event-routes.ts";
import { inertParts } from "./inert-parts.ts";
import { mcpRoutes } from "./mcp/mcp-routes.ts";
import { isForOperators, refuseCrossSitePages } from "./operator-paths.ts";
import type { ProtocolHost } from "./protocol-host.ts";
import { urlOfRequest } from "./request-url.ts";
import { joinRoutes } from "./runs/join-routes.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { statelessRunRoutes } from "./runs/stateless-run-routes.ts";
import type { ServedProject } from "./served-project.ts";
import { storeRoutes } from "./store/store-routes.ts";
import { systemRoutes } from "./system/system-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { threadStateRoutes } from "./threads/thread-state-routes.ts";
import { uiRoutes } from "./ui/ui-routes.ts";

/** Every operation of an agent server. */
export const agentServerRoutes: readonly AgentRoute[] = [
  ...assistantRoutes,
  ...threadRoutes,
  ...threadStateRoutes,
  ...cronRoutes,
  ...runRoutes,
  ...joinRoutes,
  ...eventRoutes,
  ...statelessRunRoutes,
  ...storeRoutes,
  ...mcpRoutes,
  ...uiRoutes,
  ...a2aRoutes,
  ...systemRoutes,
];

/** A request to an agent server. */
export interface AgentRequest {
  agent: Agent;
  /** From the agent server's root, percent-encoded. */
  path: string;
  /** The agent server's URL. @default that of the request */
  publicUrl?: string | undefined;
  title: string;
  context: RequestContext;
  /** The project's auth handlers; `null`: callers that the server admits may do everything. */
  auth: AuthHandlers | null;
  /** The user, if authenticated already. */
  user: AuthUser | undefined;
  checkKey: CheckKey;
  /** `undefined`: the graphs are scripted ones. */
  project: ServedProject | undefined;
}

/** `user` is absent on routes that need no authentication. */
type AgentHandler = (request: AgentRequest, user: AuthUser | undefined) => HttpResponse | Promise<HttpResponse>;

/** The HTTP handler of all agent servers of a process. */
export function createAgentApp({
  bodyLimitBytes,
}: Pick<AgentSettings, "bodyLimitBytes">): (request: AgentRequest) => Promise<HttpResponse> {
  const router = new Router<AgentHandler>();
  const documents = new Map<boolean, string>();
  router.onlyOn("GET", "/openapi.json", ({ auth, checkKey, project }) => {
    const needsKeys = auth === null && checkKey !== null;
    const security = project?.settings.security;
    if (security) return { status: 200, body: agentDocument(agentServerRoutes, needsKeys, security) };
    const json = documents.get(needsKeys) ?? JSON.stringify(agentDocument(agentServerRoutes, needsKeys));
    documents.set(needsKeys, json);
    return { status: 200, json };
  });
  router.onlyOn("GET", "/docs", ({ title }) => referencePage(escapeHtml(title)));
  router.on("GET", "/docs/{asset}", ({ context }) => referenceAsset(context.param("asset")));
  for (const route of agentServerRoutes) {
    const handler = handlerOf(route, bodyLimitBytes);
    router.onlyOn(route.method.toUpperCase(), route.path, handler);
    if (route.path.endsWith("/")) router.onlyOn(route.method.toUpperCase(), route.path.slice(0, -1), handler);
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
      if (!isForPages) refuseCrossSitePages(context);
      const isOpen = isOpenAgentPath(path, context.method);
      const user = auth && !isOpen ? (request.user ?? (await authenticated(auth, context, checkKey))) : undefined;
      return find(path, context)(request, user);
    };
    if (request.context.method === "OPTIONS" && isForPages) return preflight(request.context);
    const response = await chain(errorResponses(request.agent.onDefect), handle)(request.context);
    return isForPages ? forAnyOrigin(response) : response;
  };
}

const noUi: ServedProject["ui"] = new Map();
const emptyRequest: ValidRequest = { params: {}, query: {}, body: undefined, unknown: [] };

function handlerOf(route: AgentRoute, bodyLimitBytes: number): AgentHandler {
  const read = requestReader(route, agentValidationStyle(bodyLimitBytes));
  return async ({ agent, path, publicUrl, context, auth, checkKey, project }, user) => {
    const valid = await read(context);
    for (const part of ignoredParts(route, valid, inertParts)) agent.warn(part);
    const permit: ProtocolHost["permit"] = async (operation, parts) => {
      const given = { ...emptyRequest, ...parts };
      const { caller, request } =
        auth && user ? await authorized(auth, user, operation, given, agent.lookUps) : { caller: null, request: given };
      return { services: agent.servicesFor(caller), request };
    };
    const { services, request } = await permit(route, valid);
    const call = {
      ...services,
      host: {
        agent,
        context,
        user: user ?? null,
        ui: project?.ui ?? noUi,
        admission: auth ? ("auth handlers" as const) : checkKey ? ("key" as const) : ("nothing" as const),
        baseUrl: () => publicUrl ?? urlOfRequest(context, path),
        allowsOrigin: (origin: string) => project?.allowsOrigin(origin) ?? false,
        permit,
      },
      // A getter, since few handlers read headers.
      get headers() {
        return context.headers;
      },
      ...(request as ValidRequest<never, never>),
    };
    try {
      return await route.handle(call);
    } catch (error) {
      throw error instanceof GraphError ? new HttpError(422, error.message) : error;
    }
  };
}
