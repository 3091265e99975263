import type { AuthHandlers } from "../../agent-server/auth/auth-handlers.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import type { Params, Result } from "../calls.ts";
import type { GraphProject } from "../load/graph-config.ts";
import type { AuthOutcome, WorkerMethods } from "../protocol.ts";
import { WorkerLost } from "./graph-worker.ts";
import type { Supervisor } from "./supervisor.ts";

/**
 * How long a handler may take, in milliseconds, unless another limit is given: longer than a worker may be silent, so that no handler is blamed for
 * what else keeps its worker busy.
 */
const defaultTimeoutMs = 15_000;

/** The auth handlers of a project, which run in its worker; `null` for one without. Whatever they do, each request is answered, and in time. */
export function projectAuth(
  { auth }: GraphProject,
  supervisor: Pick<Supervisor, "call">,
  timeoutMs = defaultTimeoutMs,
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
      // Until there is a worker, the call itself knows no deadline.
      return await Promise.race([supervisor.call(method, params, { signal: deadline, isDedicated }), expired]);
    } catch (error) {
      // Whose fault it was that the worker is lost shows when the handler has one of its own.
      if (error instanceof WorkerLost && !isDedicated) return call(method, params, true);
      const reason = deadline.aborted ? `didn't answer within ${timeoutMs / 1000} s` : "was ended before it answered";
      throw new HttpError(500, `The handler "${method}" ${reason}.`);
    }
  };
  const resultOf = <Value>(method: string, outcome: AuthOutcome<Value>): Value => {
    if (outcome.kind === "done") return outcome.result;
    if (outcome.kind === "refused") throw new HttpError(outcome.status, outcome.detail, outcome.headers);
    throw new HttpError(500, `The handler "${method}" failed; the log of the server tells why.`);
  };
  return {
    admitsStudio: !auth.disableStudioAuth,
    authenticate: async (request) => resultOf("authenticate", await call("authenticate", request)),
    authorize: async (event) => resultOf("authorize", await call("authorize", event)),
  };
}
