import type {
  AuthDecision,
  AuthEvent,
  AuthHandlers,
  AuthRequest,
  AuthUser,
} from "../../agent-server/auth/auth-handlers.ts";
import type { AuthOutcome } from "../../agent-server/auth/exported-auth.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { ThreadLost } from "./worker.ts";

/**
 * How long a handler may take, in milliseconds, unless another limit is given: longer than a thread may be silent, so that no handler is blamed for
 * what else keeps its thread busy.
 */
const usualTimeoutMs = 15_000;

export interface BoundedAuthOptions {
  /** Calls a method of {@link ExportedAuth} where the handlers are loaded. */
  call(
    method: "authenticate" | "authorize",
    params: AuthRequest | AuthEvent,
    options: { signal: AbortSignal; isAlone: boolean },
  ): Promise<unknown>;
  /** @default true */
  admitsStudio?: boolean;
  /** @default 15000 */
  timeoutMs?: number;
}

/** Handlers that run elsewhere. Whatever they do, each request is answered, and in time. */
export function boundedAuth({
  call,
  admitsStudio = true,
  timeoutMs = usualTimeoutMs,
}: BoundedAuthOptions): AuthHandlers {
  const ask = async (
    method: "authenticate" | "authorize",
    params: AuthRequest | AuthEvent,
    isAlone = false,
  ): Promise<unknown> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const expired = new Promise<never>((_, reject) => {
      deadline.addEventListener("abort", () => reject(deadline.reason), { once: true });
    });
    let outcome: AuthOutcome<unknown>;
    try {
      outcome = (await Promise.race([
        call(method, params, { signal: deadline, isAlone }),
        expired,
      ])) as AuthOutcome<unknown>;
    } catch (error) {
      // Whose fault it was that the thread is gone shows when the handler has one of its own.
      if (error instanceof ThreadLost && !isAlone) return ask(method, params, true);
      const reason = deadline.aborted ? `didn't answer within ${timeoutMs / 1000} s` : "was ended before it answered";
      throw new HttpError(500, `The handler "${method}" ${reason}.`);
    }
    if (outcome.kind === "done") return outcome.result;
    if (outcome.kind === "refused") throw new HttpError(outcome.status, outcome.detail, outcome.headers);
    throw new HttpError(500, `The handler "${method}" failed; the log of the server tells why.`);
  };
  return {
    admitsStudio,
    authenticate: async (request) => (await ask("authenticate", request)) as AuthUser,
    authorize: async (event) => (await ask("authorize", event)) as AuthDecision,
  };
}
