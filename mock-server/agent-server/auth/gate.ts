import type { z } from "zod";
import type { Exchange } from "../../http/exchange.ts";
import { HttpError } from "../../http-error.ts";
import { issuesOf } from "../../openapi/validation.ts";
import type { AgentHost } from "../agent-host.ts";
import type { AgentOperation } from "../agent-operation.ts";
import type { CheckKey } from "../agent-server.ts";
import type { Fields } from "../engine/graph.ts";
import { AccessFilters } from "./access-filters.ts";
import { type Asked, accessRules } from "./access-rules.ts";
import type { AuthHandlers, AuthUser } from "./auth-handlers.ts";
import { studioUser } from "./studio-user.ts";

/**
 * Whose request it is. The developer interface says who it is by a header, which counts only where the server's own keys are satisfied.
 * @throws {HttpError} what the handlers refuse with.
 */
export async function authenticated(auth: AuthHandlers, exchange: Exchange, checkKey: CheckKey): Promise<AuthUser> {
  if (auth.admitsStudio && exchange.header("x-auth-scheme") === "langsmith") {
    checkKey();
    return studioUser;
  }
  const host = exchange.header("host") ?? "localhost";
  const search = exchange.hasQuery ? `?${exchange.query}` : "";
  return auth.authenticate({
    method: exchange.method,
    url: `http://${host}${exchange.rawPath}${search}`,
    headers: [...exchange.headers],
  });
}

/**
 * The server as a user may see it for one operation, and the request as the handlers have left it.
 * @throws {HttpError} what the handlers refuse with; 500 when they make an invalid request of it.
 */
export async function authorized(
  host: AgentHost,
  auth: AuthHandlers,
  user: AuthUser,
  operation: AgentOperation,
  asked: Asked,
): Promise<{ host: AgentHost; asked: Asked }> {
  const rule = accessRules[operation.id];
  if (!rule) throw new Error(`Operation ${operation.id} has no access rule.`);
  const filters = new AccessFilters();
  const changed = await rule(asked, {
    host,
    filters,
    identity: user.identity,
    async ask(resource, action, value) {
      const decision = await auth.authorize({ resource, action, value, user });
      filters.limit(resource, decision.filter);
      return decision.value;
    },
  });
  return {
    host: {
      ...host,
      caller: { user, copiedMetadata: filters.copiedMetadata },
      state: host.state.visibleTo(filters),
    },
    asked: {
      params: asked.params,
      query: changed?.query ? checkedQuery(operation, changed.query) : asked.query,
      body: changed?.body === undefined ? asked.body : checked(operation.body?.schema, "body", changed.body),
    },
  };
}

function checkedQuery({ query }: AgentOperation, changed: Fields): Fields {
  const parameters = Object.entries(query ?? {});
  return Object.fromEntries(parameters.map(([name, { schema }]) => [name, checked(schema, name, changed[name])]));
}

function checked(schema: z.ZodType | undefined, name: string, value: unknown): unknown {
  const result = schema?.safeParse(value);
  if (result?.success) return result.data;
  const issues = result ? issuesOf(result.error, value, [name]) : [];
  const places = issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  throw new HttpError(500, `The auth handlers have made an invalid request of it. ${places}`);
}
