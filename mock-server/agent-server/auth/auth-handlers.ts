import type { Fields } from "../engine/contract.ts";
import type { AuthUser } from "./auth-user.ts";

export type AuthResource = "assistants" | "threads" | "crons" | "store";

/** The actions of each kind of resource. */
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

/** A request as it is sent to the project's worker: without its body, which belongs to the operation. */
export interface AuthRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: [name: string, value: string][];
}

/** An action that needs authorization. */
export interface AuthEvent {
  resource: AuthResource;
  action: AuthAction;
  /** Arguments of the operation. */
  value: Fields;
  user: AuthUser;
}

/** A handler's permission. */
export interface AuthDecision {
  /** The arguments with the handler's changes. */
  value: Fields;
  /** The access filter: resources whose metadata doesn't pass are hidden from the user; `null`: none. */
  filter: Fields | null;
}

/** A project's auth handlers, as the agent server calls them. */
export interface AuthHandlers {
  /** Whether users of the developer interface are admitted without calling `authenticate`. */
  readonly admitsStudio: boolean;
  /** @throws {HttpError} the handler's refusal; 500 when it fails, times out or returns an invalid value. */
  authenticate(request: AuthRequest): Promise<AuthUser>;
  /** @throws {HttpError} the handler's refusal; 500 when it fails, times out or returns an invalid value. */
  authorize(event: AuthEvent): Promise<AuthDecision>;
}
