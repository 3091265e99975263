import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { AuthHandlers } from "./auth/auth-handlers.ts";
import type { Graph } from "./engine/contract.ts";

/** What an agent server serves in place of the scripted graphs. */
export interface ServedProject {
  readonly graphs: readonly Graph[];
  /** `null`: whoever the server lets in may do everything. */
  readonly auth: AuthHandlers | null;
  /** Responds to a request, or has the agent server do it. */
  respond(request: ProjectRequest): Promise<HttpResponse>;
}

/** One request to an agent server that runs a project. */
export interface ProjectRequest {
  /** From the agent server's own root, encoded. */
  path: string;
  context: RequestContext;
  bodyLimitBytes: number;
  /** The agent server's own response. */
  ours: () => Promise<HttpResponse>;
  /** Called before a response of the project's own. @throws {HttpError} for a caller that isn't let in. */
  admit: () => Promise<unknown>;
  /** Called with what the project's code throws. */
  onFailure: (error: unknown) => void;
}
