import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { AppRole, ProjectRequest } from "../../agent-server/served-project.ts";
import { responseOf } from "../../kit/http/errors.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, jsonResponse } from "../../kit/http/http-response.ts";
import { ClientDisconnected, type RequestContext } from "../../kit/http/request-context.ts";
import type { GraphProject, RouteGroup } from "../load/graph-config.ts";
import type { CorsSettings } from "../load/http-config-schema.ts";
import type { AppTable } from "../protocol.ts";
import { readFromOtherSide } from "../response-bodies.ts";
import type { RespondBehindApp } from "./app-requests.ts";
import { appRoutes, type FindRole } from "./app-routes.ts";
import { corsHeadersOf, preflightHeadersOf } from "./cors.ts";
import type { Supervisor } from "./supervisor.ts";

/** The paths of the agent server's groups of routes, which a project can disable. */
const groupPaths: [RegExp, RouteGroup][] = [
  [/^\/assistants(\/|$)/, "assistants"],
  [/^\/(runs|threads\/[^/]+\/(runs|commands|stream\/events))(\/|$)/, "runs"],
  [/^\/threads(\/|$)/, "threads"],
  [/^\/store(\/|$)/, "store"],
  [/^\/mcp(\/|$)/, "mcp"],
  [/^\/(a2a(\/|$)|\.well-known\/agent-card\.json$)/, "a2a"],
  [/^\/ui(\/|$)/, "ui"],
  [/^\/(info|metrics|docs|openapi\.json)(\/|$)/, "meta"],
];

/** The default CORS settings. */
const anyOrigin: CorsSettings = { allow_origins: ["*"] };

/**
 * Responds to requests according to a project's `http` settings: the project's app, disabled groups of routes, and CORS.
 */
export class ProjectHttp {
  readonly #settings: GraphProject["http"];
  readonly #supervisor: Pick<Supervisor, "call" | "appRequests">;
  readonly #findRole: FindRole;

  private constructor(
    settings: GraphProject["http"],
    supervisor: Pick<Supervisor, "call" | "appRequests">,
    findRole: FindRole,
  ) {
    this.#settings = settings;
    this.#supervisor = supervisor;
    this.#findRole = findRole;
  }

  static async open(
    settings: GraphProject["http"],
    supervisor: Pick<Supervisor, "call" | "appRequests">,
    app: AppTable | null,
  ): Promise<ProjectHttp> {
    const isOurs = (path: string) => isServedByUs(path, settings.disabled);
    const findRole: FindRole = app ? await appRoutes(app, isOurs) : () => "none";
    return new ProjectHttp(settings, supervisor, findRole);
  }

  roleOfApp(method: string, url: string): AppRole {
    return this.#findRole(method, new URL(url, "http://localhost").href);
  }

  replaces(method: string, path: string): boolean {
    return isServedByUs(path, this.#settings.disabled) && this.roleOfApp(method, path) === "route";
  }

  async respond(request: ProjectRequest): Promise<HttpResponse> {
    const { path, context, ours } = request;
    const { cors } = this.#settings;
    if (context.method === "OPTIONS" && context.header("access-control-request-method") !== undefined) {
      return cors ? { status: 204, headers: preflightHeadersOf(cors, context) } : ours(context);
    }
    const url = new URL(`http://${context.header("host") ?? "localhost"}`);
    url.pathname = path;
    url.search = context.search;
    const role = request.isSocket ? "none" : this.#findRole(context.method, url.href);
    const response =
      role === "none"
        ? await this.#respondBehind(request, context).catch(responseOf)
        : await this.#respondByApp(request, role, url);
    const corsHeaders = corsHeadersOf(cors ?? anyOrigin, context.header("origin"));
    const headers = cors
      ? { ...withoutCors(response.headers), ...corsHeaders }
      : { ...corsHeaders, ...response.headers };
    const vary = [response.headers?.vary, corsHeaders.vary].flatMap((names) => names ?? []);
    if (vary.length > 0) headers.vary = vary.join(", ");
    return { ...response, headers };
  }

  /**
   * Responds as the agent server, without its disabled groups.
   * @throws {HttpError} for a caller that isn't admitted.
   */
  async #respondBehind(
    { path, ours, admit }: ProjectRequest,
    context: RequestContext,
    user?: AuthUser | null,
  ): Promise<HttpResponse> {
    const { disabled } = this.#settings;
    const group = groupOf(path);
    if (path === "/ok" && disabled.includes("meta")) return jsonResponse(200, { ok: true });
    if (group === undefined || !disabled.includes(group)) return ours(context, user);
    if (group !== "meta" && user === undefined) await admit();
    return jsonResponse(404, { detail: "Not Found" });
  }

  async #respondByApp(request: ProjectRequest, role: AppRole, url: URL): Promise<HttpResponse> {
    const { context, admit, onFailure } = request;
    let user: AuthUser | null | undefined;
    const behind: RespondBehindApp = (changed) => this.#respondBehind(request, changed, user);
    const opened = this.#supervisor.appRequests.open(request, behind);
    try {
      if (this.#isAuthenticatedFirst(request, role, url.pathname)) user = await admit();
      const params = { request: await opened.requestFor(url.href), user: user ?? null };
      const response = await this.#supervisor.call("fetchApp", params, { signal: context.signal });
      if (opened.refusal) throw opened.refusal;
      return opened.finish(response, (body, onEnd) => this.#bodyOf(request, body, onEnd));
    } catch (error) {
      opened.end();
      if (error instanceof HttpError) return responseOf(error);
      if (!(error instanceof ClientDisconnected) && !context.isDisconnected) onFailure(error);
      return jsonResponse(500, { detail: "Internal Server Error" });
    }
  }

  /**
   * Whether the caller is authenticated before the app gets the request. `path` is the one that the app sees, without
   * dot segments: the server has no route at any other. Middleware may be a route whose handler can call `next`.
   */
  #isAuthenticatedFirst({ isOpen }: ProjectRequest, role: AppRole, path: string): boolean {
    const { disabled, isAuthFirst, isAppGuarded } = this.#settings;
    if (role === "route") return isAppGuarded;
    return (isAuthFirst || isAppGuarded) && !(isServedByUs(path, disabled) && isOpen(path));
  }

  #bodyOf({ context, onFailure }: ProjectRequest, body: string, onEnd: () => void): ReadableStream<Uint8Array> {
    return readFromOtherSide({
      read: async () => {
        const piece = await this.#supervisor.call("readAppBody", body).catch((error: unknown) => {
          onEnd();
          if (!context.isDisconnected) onFailure(error);
          throw error;
        });
        if (piece === null) onEnd();
        return piece;
      },
      cancel: async () => {
        onEnd();
        await this.#supervisor.call("cancelAppBody", body);
      },
    });
  }
}

function groupOf(path: string): RouteGroup | undefined {
  return groupPaths.find(([pattern]) => pattern.test(path))?.[1];
}

/** Whether the agent server has routes at a path or below it. */
function isServedByUs(path: string, disabled: readonly RouteGroup[]): boolean {
  const group = groupOf(path);
  return path === "/ok" || (group !== undefined && !disabled.includes(group));
}

function withoutCors(headers: HttpResponse["headers"] = {}): HttpResponse["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}
