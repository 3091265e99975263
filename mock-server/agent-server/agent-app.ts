import { Hono } from "hono";
import { HttpError } from "../http-error.ts";
import { routerPath } from "../openapi/operation.ts";
import { referencePage, serveReferenceAsset } from "../openapi/reference-page.ts";
import { agentDocument } from "./agent-document.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentRoute } from "./agent-operation.ts";
import { readAgentRequest } from "./agent-request.ts";
import { corsHeaders, preflight, toResponse } from "./answer.ts";
import { assistantRoutes } from "./assistants/assistant-routes.ts";
import { cronRoutes } from "./crons/cron-routes.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { statelessRunRoutes } from "./runs/stateless-run-routes.ts";
import { storeRoutes } from "./store/store-routes.ts";
import { systemRoutes } from "./system/system-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { threadStateRoutes } from "./threads/thread-state-routes.ts";

/** Every operation of an agent server. Of two paths that fit a request, the earlier one is taken. */
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

/** What comes with each request: whose it is, and its path from the agent server's own root. */
export interface AgentBindings {
  host: AgentHost;
  path: string;
  title: string;
}

type AgentEnvironment = { Bindings: AgentBindings };

/** The HTTP of agent servers: one app for all of them. */
export function createAgentApp(): Hono<AgentEnvironment> {
  const app = new Hono<AgentEnvironment>({
    getPath: (_, options) => (options as { env: AgentBindings }).env.path,
  });
  let document: string | undefined;
  app.use(async (context, next) => {
    if (context.req.method === "OPTIONS") return preflight(context.req.raw);
    return next();
  });
  app.get("/openapi.json", () => {
    document ??= JSON.stringify(agentDocument(agentServerRoutes));
    return new Response(document, { headers: { ...corsHeaders, "content-type": "application/json" } });
  });
  app.get("/docs", (context) => context.html(referencePage(escapeHtml(context.env.title))));
  app.get("/docs/:asset", (context) => serveReferenceAsset(context.req.param("asset")));
  for (const route of agentServerRoutes) {
    app.on(route.method.toUpperCase(), routerPath(route.path), async (context) => {
      const { host } = context.env;
      const request = await readAgentRequest(
        {
          request: context.req.raw,
          param: (name) => context.req.param(name) ?? "",
          queries: (name) => context.req.queries(name),
        },
        route,
        host.settings.bodyLimitBytes,
      );
      const answer = await route.handle({ host, headers: context.req.raw.headers, ...request } as never);
      return answer instanceof Response ? answer : toResponse(answer);
    });
  }
  for (const [path, methods] of methodsByPath()) {
    app.all(routerPath(path), () => {
      throw new HttpError(405, "Method Not Allowed", { allow: [...methods].join(", ") });
    });
  }
  app.notFound(() => toResponse({ status: 404, body: { detail: "Not Found" } }));
  app.onError((error, context) => {
    if (error instanceof HttpError) {
      return toResponse({ status: error.status, body: { detail: error.detail }, headers: error.headers });
    }
    context.env.host.onDefect(error);
    return toResponse({ status: 500, body: { detail: "Internal Server Error" } });
  });
  return app;
}

function methodsByPath(): Map<string, Set<string>> {
  const methods = new Map([
    ["/openapi.json", new Set(["GET"])],
    ["/docs", new Set(["GET"])],
  ]);
  for (const { path, method } of agentServerRoutes) {
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method.toUpperCase()));
  }
  return methods;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
