import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import type { Graph } from "./engine/contract.ts";

/** A project that an agent server serves instead of the scripted graphs. */
export interface ServedProject {
  readonly graphs: readonly Graph[];
  /** `null`: callers that the server admits may do everything. */
  readonly auth: AuthHandlers | null;
  /** The prefix of all paths, such as `/api`; empty: none. */
  readonly mountPrefix: string;
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
  bodyLimitBytes: number;
  /** Responds as the agent server. */
  ours: () => Promise<HttpResponse>;
  /**
   * Authenticates the caller before the project's app responds; returns the user, `null` without auth handlers.
   * @throws {HttpError} for a caller that isn't admitted.
   */
  admit: () => Promise<AuthUser | null>;
  /** Called with errors of the project's code. */
  onFailure: (error: unknown) => void;
}
