import { forAnyOrigin } from "../agent-server/answer.ts";
import { type Answer, sendJson } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { ClientGone } from "../http/request-body.ts";
import { HttpError } from "../http-error.ts";
import { corsHeadersOf, preflightHeadersOf } from "./cors.ts";
import type { ModuleExport, RouteGroup } from "./graph-config.ts";
import type { AppAnswer, AppRequest } from "./http-app.ts";
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
  exchange: Exchange;
  bodyLimitBytes: number;
  /** How the agent server itself answers. */
  ours: () => Promise<Answer>;
  /** Called before the app is asked. @throws {HttpError} for a caller that isn't let in. */
  admit: () => Promise<unknown>;
  /** Told what the app throws. */
  onFailure: (error: unknown) => void;
}

/**
 * Answers a request by what a project's configuration file says under `http`: groups that are turned off, the project's own app for the paths
 * that are then left, and CORS.
 */
export async function answerByProject(request: ProjectRequest): Promise<Answer> {
  const { running, path, exchange, ours } = request;
  const { cors, disabled, app } = running.project.http;
  if (exchange.method === "OPTIONS" && exchange.header("access-control-request-method") !== undefined) {
    return cors ? { status: 204, headers: preflightHeadersOf(cors, exchange) } : ours();
  }
  const group = groupPaths.find(([pattern]) => pattern.test(path))?.[1];
  const isOff = group !== undefined && (disabled as readonly string[]).includes(group);
  let answer: Answer;
  if (app && (group === undefined || isOff)) answer = forAnyOrigin(await answerByApp(app, request));
  else if (isOff) answer = forAnyOrigin({ status: 404, body: { detail: "Not Found" } });
  else answer = await ours();
  if (!cors) return answer;
  return { ...answer, headers: { ...withoutCors(answer.headers), ...corsHeadersOf(cors, exchange.header("origin")) } };
}

async function answerByApp(app: ModuleExport, { admit, onFailure, ...request }: ProjectRequest): Promise<Answer> {
  try {
    await admit();
    return await askApp(app, request);
  } catch (error) {
    if (error instanceof HttpError) return sendJson(error.status, { detail: error.detail }, error.headers);
    if (!(error instanceof ClientGone)) onFailure(error);
    return sendJson(500, { detail: "Internal Server Error" });
  }
}

async function askApp(
  app: ModuleExport,
  { running, path, exchange, bodyLimitBytes }: Pick<ProjectRequest, "running" | "path" | "exchange" | "bodyLimitBytes">,
): Promise<Answer> {
  const { call } = running;
  const sent = await exchange.body.read(bodyLimitBytes);
  const root = `http://${exchange.header("host") ?? "localhost"}`;
  if (!URL.canParse(root)) throw new HttpError(400, "The Host header is no host.");
  const url = new URL(root);
  url.pathname = path;
  url.search = exchange.query.toString();
  const hasBody = exchange.method !== "GET" && exchange.method !== "HEAD" && sent.length > 0;
  const request: AppRequest = {
    app,
    method: exchange.method,
    url: url.href,
    headers: [...exchange.headers],
    body: hasBody ? sent : null,
  };
  const { status, body, headers: lines } = (await call("ask-app", request, { signal: exchange.signal() })) as AppAnswer;
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

function withoutCors(headers: Answer["headers"] = {}): Answer["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}
