import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import type { Graph } from "./engine/contract.ts";

/** What an agent server serves in place of the scripted graphs. */
export interface ServedProject {
  readonly graphs: readonly Graph[];
  /** `null`: whoever the server lets in may do everything. */
  readonly auth: AuthHandlers | null;
  /** What all paths begin with, such as `/api`; empty where nothing is. */
  readonly mountPrefix: string;
  /** Says how the project's code reaches the agent server that serves it. */
  connect(fetchServer: FetchServer): void;
  /** Responds to a request, or has the agent server do it. */
  respond(request: ProjectRequest): Promise<HttpResponse>;
}

/** Sends a request of the project's own code to its agent server, with the rights of `user`, unless it says itself whose it is. */
export type FetchServer = (request: ProjectCall, user: AuthUser | null) => Promise<Response>;

/** A request that the project's own code sends. */
export interface ProjectCall {
  method: string;
  /** Path and query, from the agent server's own root. */
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array | null;
  signal: AbortSignal;
}

/** One request to an agent server that runs a project. */
export interface ProjectRequest {
  /** From the agent server's own root, encoded. */
  path: string;
  context: RequestContext;
  bodyLimitBytes: number;
  /** The agent server's own response. */
  ours: () => Promise<HttpResponse>;
  /** Called before a response of the project's own; returns whose request it is, where auth handlers say so. @throws {HttpError} for a caller that isn't let in. */
  admit: () => Promise<AuthUser | null>;
  /** Called with what the project's code throws. */
  onFailure: (error: unknown) => void;
}
