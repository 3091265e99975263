import type { Fields } from "../engine/contract.ts";
import type { AuthUser } from "./auth-user.ts";

export type AuthResource = "assistants" | "threads" | "crons" | "store";

/** What each kind of resource can be asked for. */
export type AuthAction =
  | "create"
  | "read"
  | "update"
  | "delete"
  | "search"
  | "create_run"
  | "put"
  | "get"
  | "list_namespaces";

/** A request, as it crosses into the project's thread: without its body, which belongs to the operation. */
export interface AuthRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: [name: string, value: string][];
}

/** What a user is about to do. */
export interface AuthEvent {
  resource: AuthResource;
  action: AuthAction;
  /** The arguments of the operation. */
  value: Fields;
  user: AuthUser;
}

/** That it is permitted. */
export interface AuthDecision {
  /** The arguments as the handler has left them. */
  value: Fields;
  /** What the metadata of a resource has to have, else it isn't there for the user; `null`: nothing. */
  filter: Fields | null;
}

/** A project's auth handlers, as the agent server consults them. */
export interface AuthHandlers {
  /** Whether users of the developer interface get in without being asked for. */
  readonly admitsStudio: boolean;
  /** @throws {HttpError} what the handler refuses with; 500 when it fails, hangs or returns nonsense. */
  authenticate(request: AuthRequest): Promise<AuthUser>;
  /** @throws {HttpError} what the handler refuses with; 500 when it fails, hangs or returns nonsense. */
  authorize(event: AuthEvent): Promise<AuthDecision>;
}
