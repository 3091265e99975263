import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { Graph } from "./engine/contract.ts";

/** One request to an agent server that runs a project. */
export interface ProjectRequest {
  /** From the agent server's own root, encoded. */
  path: string;
  context: RequestContext;
  bodyLimitBytes: number;
  /** How the agent server itself responds. */
  ours: () => Promise<HttpResponse>;
  /** Called before the project's own app gets the request. @throws {HttpError} for a caller that isn't let in. */
  admit: () => Promise<unknown>;
  /** Called with what the app throws. */
  onFailure: (error: unknown) => void;
}

/** A user's project that an agent server runs. */
export interface AgentProject {
  readonly graphs: readonly Graph[];
  /** Who may do what; `null`: whoever the server lets in may do everything. */
  readonly auth: AuthHandlers | null;
  /** Responds to a request as the project wants it. */
  respond(request: ProjectRequest): Promise<HttpResponse>;
}
