import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import type { ValidRequest } from "../../kit/operation/operation.ts";
import { issuesOf } from "../../kit/operation/validation-issues.ts";
import type { CheckKey } from "../agent-server.ts";
import type { Caller } from "../agent-services.ts";
import type { Fields } from "../engine/contract.ts";
import type { PermittedOperation } from "../protocol-host.ts";
import { AccessFilters } from "./access-filters.ts";
import type { AccessLookUps } from "./access-rule.ts";
import type { AuthHandlers } from "./auth-handlers.ts";
import type { AuthUser } from "./auth-user.ts";
import { studioUser } from "./studio-user.ts";

/**
 * Authenticates a request. The developer interface identifies itself by a header, which counts only beside a valid key
 * of the server.
 * @throws {HttpError} the handlers' refusal.
 */
export async function authenticated(
  auth: AuthHandlers,
  context: RequestContext,
  checkKey: CheckKey,
): Promise<AuthUser> {
  if (auth.admitsStudio && context.header("x-auth-scheme") === "langsmith") {
    checkKey?.();
    return studioUser;
  }
  const host = context.header("host") ?? "localhost";
  const search = context.hasQuery ? `?${context.search}` : "";
  return auth.authenticate({
    method: context.method,
    url: `http://${host}${context.rawPath}${search}`,
    headers: [...context.headers],
  });
}

/**
 * The auth handlers for requests of the project's own code, which act as `user` unless they carry their own
 * authorization. Forwarding somebody's headers doesn't make the caller a user of the developer interface.
 */
export function handlersForProjectCode(auth: AuthHandlers, user: AuthUser | null): AuthHandlers {
  return {
    admitsStudio: false,
    async authenticate(request) {
      const isSigned = request.headers.some(([name]) => name === "authorization");
      return user && !isSigned ? user : auth.authenticate(request);
    },
    authorize: (event) => auth.authorize(event),
  };
}

/**
 * Authenticates and authorizes a request for an operation; returns the caller with the access filters, and the request
 * with the handlers' changes.
 * @throws {HttpError} the handlers' refusal; 500 when their changes make the request invalid.
 */
export async function authorized(
  auth: AuthHandlers,
  user: AuthUser,
  route: PermittedOperation,
  request: ValidRequest,
  lookUps: AccessLookUps,
): Promise<{ caller: Caller; request: ValidRequest }> {
  const filters = new AccessFilters();
  const changed = await route.access(request, {
    ...lookUps,
    filters,
    identity: user.identity,
    async authorize(resource, action, value) {
      const decision = await auth.authorize({ resource, action, value, user });
      filters.limit(resource, decision.filter);
      return decision.value;
    },
  });
  return {
    caller: { user, filters },
    request: {
      ...request,
      query: changed?.query ? checkedQuery(route, changed.query) : request.query,
      body: changed?.body === undefined ? request.body : checked(route.body?.schema, "body", changed.body),
    },
  };
}

function checkedQuery({ query }: PermittedOperation, changed: Fields): Fields {
  const parameters = Object.entries(query ?? {});
  return Object.fromEntries(parameters.map(([name, { schema }]) => [name, checked(schema, name, changed[name])]));
}

function checked(schema: z.ZodType | undefined, name: string, value: unknown): unknown {
  const result = schema?.safeParse(value);
  if (result?.success) return result.data;
  const issues = result ? issuesOf(result.error, value, [name]) : [];
  const places = issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  throw new HttpError(500, `The auth handlers made the request invalid. ${places}`);
}
