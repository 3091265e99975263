import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { ProjectRequest } from "../../agent-server/served-project.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, jsonResponse } from "../../kit/http/http-response.ts";
import { ClientDisconnected } from "../../kit/http/request-context.ts";
import type { GraphProject, RouteGroup } from "../load/graph-config.ts";
import type { CorsSettings } from "../load/graph-config-schema.ts";
import type { PlainRequest } from "../protocol.ts";
import { readFromOtherSide } from "../response-bodies.ts";
import { corsHeadersOf, preflightHeadersOf } from "./cors.ts";
import type { Supervisor } from "./supervisor.ts";

/** The paths of the agent server's groups of routes, which a project can disable. */
const groupPaths: [RegExp, RouteGroup][] = [
  [/^\/assistants(\/|$)/, "assistants"],
  [/^\/(runs|threads\/[^/]+\/runs)(\/|$)/, "runs"],
  [/^\/threads(\/|$)/, "threads"],
  [/^\/store(\/|$)/, "store"],
  [/^\/mcp(\/|$)/, "mcp"],
  [/^\/(a2a(\/|$)|\.well-known\/agent-card\.json$)/, "a2a"],
  [/^\/(ok|info|metrics|docs|openapi\.json)(\/|$)/, "meta"],
];

/** The default CORS settings. */
const anyOrigin: CorsSettings = { allow_origins: ["*"] };

/**
 * Responds to a request according to a project's `http` settings: disabled groups of routes, the project's app for the
 * remaining paths, and CORS.
 */
export async function respondByProject(
  { cors, disabled, app }: GraphProject["http"],
  supervisor: Pick<Supervisor, "call">,
  request: ProjectRequest,
): Promise<HttpResponse> {
  const { path, context, ours } = request;
  if (context.method === "OPTIONS" && context.header("access-control-request-method") !== undefined) {
    return cors ? { status: 204, headers: preflightHeadersOf(cors, context) } : ours();
  }
  const group = groupPaths.find(([pattern]) => pattern.test(path))?.[1];
  const isOff = group !== undefined && disabled.includes(group);
  let response: HttpResponse;
  if (app && (group === undefined || isOff)) response = await respondByApp(supervisor, request);
  else if (isOff) response = { status: 404, body: { detail: "Not Found" } };
  else response = await ours();
  const corsHeaders = corsHeadersOf(cors ?? anyOrigin, context.header("origin"));
  const headers = cors ? { ...withoutCors(response.headers), ...corsHeaders } : { ...corsHeaders, ...response.headers };
  return { ...response, headers };
}

async function respondByApp(supervisor: Pick<Supervisor, "call">, request: ProjectRequest): Promise<HttpResponse> {
  try {
    return await fetchApp(supervisor, request, await request.admit());
  } catch (error) {
    if (error instanceof HttpError) return jsonResponse(error.status, { detail: error.detail }, error.headers);
    if (!(error instanceof ClientDisconnected)) request.onFailure(error);
    return jsonResponse(500, { detail: "Internal Server Error" });
  }
}

async function fetchApp(
  supervisor: Pick<Supervisor, "call">,
  { path, context, bodyLimitBytes }: ProjectRequest,
  user: AuthUser | null,
): Promise<HttpResponse> {
  const sent = await context.readBytes(bodyLimitBytes);
  const url = new URL(`http://${context.header("host") ?? "localhost"}`);
  url.pathname = path;
  url.search = context.query.toString();
  const hasBody = context.method !== "GET" && context.method !== "HEAD" && sent.length > 0;
  const request: PlainRequest = {
    method: context.method,
    url: url.href,
    headers: [...context.headers],
    body: hasBody ? sent : null,
  };
  const {
    status,
    body,
    headers: lines,
  } = await supervisor.call("fetchApp", { request, user }, { signal: context.signal });
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of new Headers(lines)) {
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  if (body === null) return { status, headers };
  const content = readFromOtherSide({
    read: () => supervisor.call("readAppBody", body),
    cancel: () => supervisor.call("cancelAppBody", body),
  });
  return { status, headers, content };
}

function withoutCors(headers: HttpResponse["headers"] = {}): HttpResponse["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}
