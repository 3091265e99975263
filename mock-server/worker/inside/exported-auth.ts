import type { AuthDecision, AuthEvent, AuthRequest } from "../../agent-server/auth/auth-handlers.ts";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { Fields } from "../../agent-server/engine/contract.ts";
import { filterProblem } from "../../kit/metadata-filter.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { AuthOutcome } from "../protocol.ts";

/** The auth handlers that a module exports, in the worker. These methods never reject, whatever the handlers do. */
export interface ExportedAuth {
  authenticate(request: AuthRequest): Promise<AuthOutcome<AuthUser>>;
  authorize(event: AuthEvent): Promise<AuthOutcome<AuthDecision>>;
}

type Handler = (argument: never) => unknown;

/** @throws {ProjectLoadError} when the module doesn't load, or the export isn't an object with auth handlers. */
export async function loadAuth(place: ModuleExport): Promise<ExportedAuth> {
  const exported = await loadExport(place);
  try {
    return exportedAuth(exported);
  } catch (error) {
    throw new ProjectLoadError(
      `${place.exportName} of ${place.module} ${(error as Error).message}: an object of the class Auth is expected, or one with authenticate and on.`,
    );
  }
}

/**
 * The handlers of an object of the official client's class `Auth`, or of a plain object with a function `authenticate`
 * and, under `on`, functions by event: `threads:create`, `threads`, `*:create` or `*`.
 * @throws {TypeError} for anything else.
 */
export function exportedAuth(exported: unknown): ExportedAuth {
  const { authenticate, callbacks } = handlersOf(exported);
  return {
    authenticate: ({ url, method, headers }) =>
      outcomeOf(async () => userOf(await authenticate(new Request(url, { method, headers }) as never))),
    authorize: ({ resource, action, value, user }) =>
      outcomeOf(async () => {
        const event = `${resource}:${action}`;
        const name = [event, resource, `*:${action}`, "*"].find((key) => Object.hasOwn(callbacks, key));
        const handler = name === undefined ? undefined : callbacks[name];
        if (!handler) return { value, filter: null };
        const { permissions } = user;
        const verdict = await handler({ event, resource, action, value, permissions, user } as never);
        return { value: plain(value), filter: filterOf(verdict) };
      }),
  };
}

function handlersOf(exported: unknown): { authenticate: Handler; callbacks: Record<string, Handler> } {
  if (typeof exported !== "object" || exported === null) throw new TypeError("isn't an object with auth handlers");
  const isOfficial = "~handlerCache" in exported;
  const { authenticate, ...rest } = (isOfficial ? exported["~handlerCache"] : exported) as Record<string, unknown>;
  const callbacks = (isOfficial ? rest.callbacks : rest.on) ?? {};
  if (typeof authenticate !== "function") throw new TypeError('has no handler "authenticate"');
  const isMap = typeof callbacks === "object" && Object.values(callbacks).every((one) => typeof one === "function");
  if (!isMap) throw new TypeError(`has an "on" that isn't an object of functions by event`);
  return { authenticate: authenticate as Handler, callbacks: callbacks as Record<string, Handler> };
}

/** The refusal when a handler returns `false`. */
class Refusal extends Error {
  readonly status = 403;
}

/** Thrown for an invalid return value of a handler. */
class InvalidResult extends Error {}

async function outcomeOf<Result>(work: () => Promise<Result>): Promise<AuthOutcome<Result>> {
  try {
    return { kind: "done", result: await work() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) return refusal;
    // The error is for the handler's developer, not for the caller.
    console.error(error instanceof InvalidResult ? error.message : error);
    return { kind: "failed" };
  }
}

function refusalOf(error: unknown): AuthOutcome<never> | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { status, message, detail, headers } = error as Record<string, unknown>;
  if (error instanceof Error && !(error instanceof Refusal) && !isHttpException(error)) return undefined;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 400 || status > 599) return undefined;
  try {
    const kept = Object.fromEntries(new Headers((headers ?? {}) as Record<string, string>));
    return { kind: "refused", status, detail: String(detail ?? message ?? ""), headers: kept };
  } catch {
    return undefined;
  }
}

/**
 * Compares by name, since the project has its own copy of the class. Other errors with a status, such as those of HTTP
 * clients, aren't meant for the caller.
 */
function isHttpException(error: Error): boolean {
  for (let kind = Object.getPrototypeOf(error); kind !== null; kind = Object.getPrototypeOf(kind)) {
    if (kind.constructor?.name === "HTTPException") return true;
  }
  return false;
}

function userOf(result: unknown): AuthUser {
  const given = typeof result === "string" ? { identity: result } : result;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidResult(`authenticate must return an identity or a user, not ${describe(result)}.`);
  }
  const { identity, permissions = [], ...rest } = plain(given as Fields);
  if (typeof identity !== "string" || identity === "") {
    throw new InvalidResult("authenticate must return a user with an identity that is a string.");
  }
  if (!Array.isArray(permissions) || permissions.some((one) => typeof one !== "string")) {
    throw new InvalidResult("authenticate must return permissions that are a list of strings.");
  }
  return {
    identity,
    permissions,
    ...rest,
    is_authenticated: typeof rest.is_authenticated === "boolean" ? rest.is_authenticated : true,
    display_name: typeof rest.display_name === "string" ? rest.display_name : identity,
  };
}

function filterOf(verdict: unknown): Fields | null {
  if (verdict === undefined || verdict === null || verdict === true) return null;
  if (verdict === false) throw new Refusal("Forbidden");
  if (typeof verdict !== "object" || Array.isArray(verdict)) {
    throw new InvalidResult(`A handler must return nothing, true, false or a filter, not ${describe(verdict)}.`);
  }
  const problem = filterProblem(verdict as Fields);
  if (problem !== undefined) throw new InvalidResult(`A handler returned a filter that can't be applied: ${problem}.`);
  return plain(verdict as Fields);
}

/** A copy as plain JSON, which can be sent to the server and to graphs. */
function plain(fields: Fields): Fields {
  return JSON.parse(JSON.stringify(fields)) as Fields;
}

function describe(value: unknown): string {
  return Array.isArray(value) ? "a list" : value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
