import { forAnyOrigin } from "../../agent-server/cors.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, jsonResponse } from "../../kit/http/http-response.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import { ClientDisconnected } from "../../kit/http/request-context.ts";
import type { AppAnswer, AppRequest } from "../inside/http-app.ts";
import type { ModuleExport, RouteGroup } from "../load/graph-config.ts";
import { corsHeadersOf, preflightHeadersOf } from "./cors.ts";
import type { RunningProject } from "./running-project.ts";

/** The paths that are the agent server's own, of which a group can be turned off; `undefined`: all others. */
const groupPaths: [RegExp, RouteGroup | "internal"][] = [
  [/^\/assistants(\/|$)/, "assistants"],
  [/^\/(runs|threads\/[^/]+\/runs)(\/|$)/, "runs"],
  [/^\/threads(\/|$)/, "threads"],
  [/^\/store(\/|$)/, "store"],
  [/^\/(ok|info|metrics|docs|openapi\.json)(\/|$)/, "meta"],
  [/^\/internal(\/|$)/, "internal"],
];

/** One request to an agent server that runs a project. */
export interface ProjectRequest {
  running: RunningProject;
  /** From the agent server's own root, encoded. */
  path: string;
  context: RequestContext;
  bodyLimitBytes: number;
  /** How the agent server itself answers. */
  ours: () => Promise<HttpResponse>;
  /** Called before the app is asked. @throws {HttpError} for a caller that isn't let in. */
  admit: () => Promise<unknown>;
  /** Told what the app throws. */
  onFailure: (error: unknown) => void;
}

/**
 * Answers a request by what a project's configuration file says under `http`: groups that are turned off, the project's own app for the paths
 * that are then left, and CORS.
 */
export async function respondByProject(request: ProjectRequest): Promise<HttpResponse> {
  const { running, path, context, ours } = request;
  const { cors, disabled, app } = running.project.http;
  if (context.method === "OPTIONS" && context.header("access-control-request-method") !== undefined) {
    return cors ? { status: 204, headers: preflightHeadersOf(cors, context) } : ours();
  }
  const group = groupPaths.find(([pattern]) => pattern.test(path))?.[1];
  const isOff = group !== undefined && (disabled as readonly string[]).includes(group);
  let response: HttpResponse;
  if (app && (group === undefined || isOff)) response = forAnyOrigin(await respondByApp(app, request));
  else if (isOff) response = forAnyOrigin({ status: 404, body: { detail: "Not Found" } });
  else response = await ours();
  if (!cors) return response;
  return {
    ...response,
    headers: { ...withoutCors(response.headers), ...corsHeadersOf(cors, context.header("origin")) },
  };
}

async function respondByApp(
  app: ModuleExport,
  { admit, onFailure, ...request }: ProjectRequest,
): Promise<HttpResponse> {
  try {
    await admit();
    return await askApp(app, request);
  } catch (error) {
    if (error instanceof HttpError) return jsonResponse(error.status, { detail: error.detail }, error.headers);
    if (!(error instanceof ClientDisconnected)) onFailure(error);
    return jsonResponse(500, { detail: "Internal Server Error" });
  }
}

async function askApp(
  app: ModuleExport,
  { running, path, context, bodyLimitBytes }: Pick<ProjectRequest, "running" | "path" | "context" | "bodyLimitBytes">,
): Promise<HttpResponse> {
  const { call } = running;
  const sent = await context.readBytes(bodyLimitBytes);
  const root = `http://${context.header("host") ?? "localhost"}`;
  if (!URL.canParse(root)) throw new HttpError(400, "The Host header is no host.");
  const url = new URL(root);
  url.pathname = path;
  url.search = context.query.toString();
  const hasBody = context.method !== "GET" && context.method !== "HEAD" && sent.length > 0;
  const request: AppRequest = {
    app,
    method: context.method,
    url: url.href,
    headers: [...context.headers],
    body: hasBody ? sent : null,
  };
  const { status, body, headers: lines } = (await call("ask-app", request, { signal: context.signal })) as AppAnswer;
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of lines) {
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return { status, headers, ...(body === null ? {} : { content: bodyOf(body, call) }) };
}

function bodyOf(id: number, call: RunningProject["call"]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = (await call("read-app-body", id)) as Uint8Array | null;
      if (piece === null) controller.close();
      else controller.enqueue(piece);
    },
    async cancel() {
      await call("cancel-app-body", id);
    },
  });
}

function withoutCors(headers: HttpResponse["headers"] = {}): HttpResponse["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}
