import type { RequestContext } from "../kit/http/request-context.ts";
import type { OperationBody, QueryParameter, ValidRequest } from "../kit/operation/operation.ts";
import type { AgentServices } from "./agent-services.ts";
import type { AccessRule } from "./auth/access-rule.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import type { Agent } from "./create-agent.ts";
import type { ServedProject } from "./served-project.ts";

/** What is permitted to a caller. */
export interface Permitted {
  /** They reach only what the caller may see. */
  services: AgentServices;
  /** With the changes of the auth handlers. */
  request: ValidRequest;
}

/** The parts of a route that authorizing a request needs. */
export interface PermittedOperation {
  access: AccessRule;
  query?: Record<string, QueryParameter>;
  body?: OperationBody;
}

/** What operations need that act on more of a request than its valid parts. */
export interface ProtocolHost {
  readonly agent: Pick<Agent, "onDefect" | "toolCalls" | "pushNotifications" | "ids" | "heartbeatMs" | "warn">;
  readonly context: RequestContext;
  /** The bundled components of the project's user interface. */
  readonly ui: ServedProject["ui"];
  /** `null` without auth handlers. */
  readonly user: AuthUser | null;
  /** What the server requires of requests. */
  readonly admission: "key" | "auth handlers" | "nothing";
  /** The agent server's own URL as the client sees it, without a trailing slash. */
  baseUrl(): string;
  /** Whether pages of an origin other than this machine's may send requests that act for their users. */
  allowsOrigin(origin: string): boolean;
  /**
   * Authorizes an operation inside the request.
   * @throws {HttpError} the handlers' refusal.
   */
  permit(operation: PermittedOperation, request: Partial<ValidRequest>): Promise<Permitted>;
}
