import { AsyncLocalStorage } from "node:async_hooks";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";

/** On whose behalf the project's code currently runs. */
export type Caller =
  | { kind: "run"; runId: string; user: AuthUser | null }
  | { kind: "request"; user: AuthUser | null }
  | { kind: "auth handler" };

/** The caller in the current asynchronous context, also after the call has ended. */
export const currentCaller = new AsyncLocalStorage<Caller>();
