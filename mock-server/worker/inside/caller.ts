import { AsyncLocalStorage } from "node:async_hooks";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";

/** Whom the code of a project works for at the moment. */
export type Caller =
  | { kind: "run"; runId: string; user: AuthUser | null }
  | { kind: "request"; user: AuthUser | null }
  | { kind: "auth handler" };

/** Follows the caller through whatever is awaited, and beyond the end of the call. */
export const currentCaller = new AsyncLocalStorage<Caller>();
