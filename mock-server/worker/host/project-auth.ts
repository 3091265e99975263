import type { AuthEvent, AuthHandlers, AuthRequest } from "../../agent-server/auth/auth-handlers.ts";
import type { AuthCall } from "../inside/load-auth.ts";
import { boundedAuth } from "./bounded-auth.ts";
import type { RunningProject } from "./running-project.ts";

/** The auth handlers of a project, which run in its thread; `null` for one without. */
export function projectAuth(
  running: Pick<RunningProject, "project" | "call">,
  timeoutMs?: number,
): AuthHandlers | null {
  const { auth } = running.project;
  if (!auth) return null;
  const { module, exportName, disableStudioAuth } = auth;
  return boundedAuth({
    call(method, params, options) {
      const call: AuthCall<AuthRequest | AuthEvent> = { auth: { module, exportName }, params };
      return running.call(method, call, options);
    },
    admitsStudio: !disableStudioAuth,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}
