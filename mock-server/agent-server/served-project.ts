import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import type { Graph } from "./engine/contract.ts";
import type { ProjectSettings } from "./project-settings.ts";

/** A project that an agent server serves instead of the scripted graphs. */
export interface ServedProject {
  readonly graphs: readonly Graph[];
  /** `null`: callers that the server admits may do everything. */
  readonly auth: AuthHandlers | null;
  /** The prefix of all paths, such as `/api`; empty: none. */
  readonly mountPrefix: string;
  readonly settings: ProjectSettings;
  /** The bundled components of the generative user interface, by name. */
  readonly ui: ReadonlyMap<string, UiBundle>;
  /** How the app takes part in a request; `url` is relative to the agent server's root. */
  roleOfApp(method: string, url: string): AppRole;
  /** Whether a route of the app comes before one that the agent server has at this path. */
  replaces(method: string, path: string): boolean;
  /** Whether the CORS settings name an origin. */
  allowsOrigin(origin: string): boolean;
  /** Connects the project's code to the agent server that serves it. */
  connect(fetchServer: FetchServer): void;
  /** Responds to a request, or delegates to the agent server. */
  respond(request: ProjectRequest): Promise<HttpResponse>;
}

/**
 * Sends a request of the project's code to its agent server, with the rights of `user` unless it has an authorization
 * of its own.
 */
export type FetchServer = (request: ProjectCall, user: AuthUser | null) => Promise<Response>;

/**
 * How an app takes part in a request: not at all, as a route of its own, or as middleware around what the agent server
 * has for it.
 */
export type AppRole = "none" | "route" | "middleware";

/** The bundle of a file with components. */
export interface UiBundle {
  files: readonly UiFile[];
  /** Why there are no files; `null`: there are. */
  problem: string | null;
}

export interface UiFile {
  /** Without a folder. */
  name: string;
  content: Uint8Array;
}

/** A request that the project's code sends. */
export interface ProjectCall {
  method: string;
  /** Path and query, relative to the agent server's root. */
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array | null;
  signal: AbortSignal;
}

/** A request to an agent server that runs a project. */
export interface ProjectRequest {
  /** Relative to the agent server's root, percent-encoded. */
  path: string;
  context: RequestContext;
  /** Whether the request opens a WebSocket, which isn't a request of the Fetch API: no app takes part in it. */
  isSocket: boolean;
  /** Whether the agent server's own route at a path needs neither a key nor a user. */
  isOpen: (path: string) => boolean;
  bodyLimitBytes: number;
  /**
   * Responds as the agent server, which authenticates the caller unless it is `user`. The app may have changed the
   * request.
   */
  ours: (context: RequestContext, user?: AuthUser | null) => Promise<HttpResponse>;
  /**
   * Authenticates the caller; returns the user, `null` without auth handlers.
   * @throws {HttpError} for a caller that isn't admitted.
   */
  admit: () => Promise<AuthUser | null>;
  /** Called with errors of the project's code. */
  onFailure: (error: unknown) => void;
}
