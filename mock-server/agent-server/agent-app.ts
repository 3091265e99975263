import { type Answer, sendJson } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { ClientGone } from "../http/request-body.ts";
import { Router } from "../http/router.ts";
import { HttpError } from "../http-error.ts";
import { referenceAsset, referencePage } from "../openapi/reference-page.ts";
import { agentDocument } from "./agent-document.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentRoute } from "./agent-operation.ts";
import { agentRequestReader } from "./agent-request.ts";
import { type CheckKey, isOpenAgentPath } from "./agent-server.ts";
import { forAnyOrigin, preflight } from "./answer.ts";
import { assistantRoutes } from "./assistants/assistant-routes.ts";
import type { AuthHandlers, AuthUser } from "./auth/auth-handlers.ts";
import { authenticated, authorized } from "./auth/gate.ts";
import { cronRoutes } from "./crons/cron-routes.ts";
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
  ...statelessRunRoutes,
  ...storeRoutes,
  ...systemRoutes,
];

/** One request to an agent server: whose it is, and its path from the agent server's own root. */
export interface AgentRequest {
  host: AgentHost;
  /** Encoded. */
  path: string;
  title: string;
  exchange: Exchange;
  /** The project's own handlers; `null`: whoever the server has let in may do everything. */
  auth: AuthHandlers | null;
  checkKey: CheckKey;
}

/** `user` is absent where nobody has to be known. */
type Handler = (request: AgentRequest, user: AuthUser | undefined) => Answer | Promise<Answer>;

/** The HTTP of agent servers: one app for all of them. */
export function createAgentApp(): (request: AgentRequest) => Promise<Answer> {
  const router = new Router<Handler>();
  let document: string | undefined;
  router.onlyOn("GET", "/openapi.json", () => {
    document ??= JSON.stringify(agentDocument(agentServerRoutes));
    return forAnyOrigin({ status: 200, content: document, headers: { "content-type": "application/json" } });
  });
  router.onlyOn("GET", "/docs", ({ title }) => referencePage(escapeHtml(title)));
  router.on("GET", "/docs/{asset}", ({ exchange }) => referenceAsset(exchange.param("asset")));
  for (const route of agentServerRoutes) router.onlyOn(route.method.toUpperCase(), route.path, handlerOf(route));

  const find = (path: string, exchange: Exchange): Handler => {
    const found = router.find(exchange.method, path);
    if (found) {
      exchange.params = found.params;
      return found.target;
    }
    const methods = router.methodsOf(path);
    if (methods) throw new HttpError(405, "Method Not Allowed", { allow: methods.join(", ") });
    throw new HttpError(404, "Not Found");
  };
  return async (request) => {
    const { path, exchange, host, auth, checkKey } = request;
    try {
      if (exchange.method === "OPTIONS") return preflight(exchange);
      const user = auth && !isOpenAgentPath(path) ? await authenticated(auth, exchange, checkKey) : undefined;
      return await find(path, exchange)(request, user);
    } catch (error) {
      if (error instanceof HttpError) {
        return forAnyOrigin(sendJson(error.status, { detail: error.detail }, error.headers));
      }
      if (!(error instanceof ClientGone)) host.onDefect(error);
      return forAnyOrigin(sendJson(500, { detail: "Internal Server Error" }));
    }
  };
}

/** One valid request, whose headers are made only for handlers that look at them. */
class LazyCall {
  readonly host: AgentHost;
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly #exchange: Exchange;

  constructor(host: AgentHost, exchange: Exchange, request: Pick<LazyCall, "params" | "query" | "body">) {
    this.host = host;
    this.params = request.params;
    this.query = request.query;
    this.body = request.body;
    this.#exchange = exchange;
  }

  get headers(): Headers {
    return this.#exchange.headers;
  }
}

function handlerOf(route: AgentRoute): Handler {
  const read = agentRequestReader(route);
  return async ({ host, exchange, auth }, user) => {
    const reading = read(exchange, host.settings.bodyLimitBytes);
    const asked = reading instanceof Promise ? await reading : reading;
    const permitted = auth && user ? await authorized(host, auth, user, route, asked) : { host, asked };
    const answer = await route.handle(new LazyCall(permitted.host, exchange, permitted.asked) as never);
    return forAnyOrigin(answer);
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
