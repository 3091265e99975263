import type { AuthHandlers, AuthRequest } from "../../agent-server/auth/auth-handlers.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import type { Params, Result } from "../calls.ts";
import type { GraphProject } from "../load/graph-config.ts";
import type { AuthOutcome, WorkerMethods } from "../protocol.ts";
import { WorkerLost } from "./graph-worker.ts";
import type { Supervisor } from "./supervisor.ts";
import { UserCache } from "./user-cache.ts";

/**
 * Default timeout of a handler, in milliseconds. Longer than a worker may be unresponsive, so that a handler isn't
 * blamed for other code that blocks its worker.
 */
const defaultTimeoutMs = 15_000;

/**
 * The auth handlers of a project, which run in its worker; `null` for a project without any. Every call settles within
 * the timeout, whatever the handlers do.
 */
export function projectAuth(
  { auth }: GraphProject,
  supervisor: Pick<Supervisor, "call">,
  timeoutMs = defaultTimeoutMs,
  now = Date.now,
): AuthHandlers | null {
  if (!auth) return null;
  const call = async <Name extends "authenticate" | "authorize">(
    method: Name,
    params: Params<WorkerMethods, Name>,
    isDedicated = false,
  ): Promise<Result<WorkerMethods, Name>> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const expired = new Promise<never>((_, reject) => {
      deadline.addEventListener("abort", () => reject(deadline.reason), { once: true });
    });
    try {
      // A call that waits for a worker doesn't observe the deadline itself.
      return await Promise.race([supervisor.call(method, params, { signal: deadline, isDedicated }), expired]);
    } catch (error) {
      // A retry in a dedicated worker shows whether the handler caused the loss.
      if (error instanceof WorkerLost && !isDedicated) return call(method, params, true);
      const reason = deadline.aborted ? `didn't return within ${timeoutMs / 1000} s` : "was ended before it returned";
      throw new HttpError(500, `The handler "${method}" ${reason}.`);
    }
  };
  const resultOf = <Value>(method: string, outcome: AuthOutcome<Value>): Value => {
    if (outcome.kind === "done") return outcome.result;
    if (outcome.kind === "refused") throw new HttpError(outcome.status, outcome.detail, outcome.headers);
    throw new HttpError(500, `The handler "${method}" failed; the server's log has the error.`);
  };
  const authenticate = async (request: AuthRequest) => resultOf("authenticate", await call("authenticate", request));
  const cache = auth.cache && new UserCache(auth.cache, now);
  return {
    admitsStudio: !auth.disableStudioAuth,
    authenticate: (request) => (cache ? cache.userOf(request, () => authenticate(request)) : authenticate(request)),
    authorize: async (event) => resultOf("authorize", await call("authorize", event)),
  };
}
