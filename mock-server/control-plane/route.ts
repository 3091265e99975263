import type { z } from "zod";
import { unprocessable } from "../kit/http/http-error.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import { type InertPart, ignoredParts } from "../kit/operation/ignored-parts.ts";
import type { QueryParameter, Route, RouteDefinition } from "../kit/operation/operation.ts";
import { requestReader, type ValidationStyle } from "../kit/operation/request-reader.ts";
import { jsonIssue } from "../kit/operation/validation-issues.ts";
import type { ApiKeys } from "./auth/api-keys.ts";
import type { TenantServices } from "./services.ts";
import { type Edition, editionPrefixes, type Tenancy } from "./tenancy.ts";

/** Access to an operation: with an API key, or open, such as for browsers that an OAuth provider sends back. */
type ControlPlaneAccess = "key" | "open";

/** The context of a handler: the services of the caller's tenancy. The tenancy of open operations has no workspace. */
interface ControlPlaneCall extends TenantServices {
  tenancy: Tenancy;
  /** The caller's id in the auth service, one for each key; empty for open operations. */
  caller: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export type ControlPlaneRoute = Route<ControlPlaneCall, ControlPlaneAccess>;

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Defines an operation and its handler. @default access: "key" */
export function route<
  const Path extends string,
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(
  definition: Omit<
    RouteDefinition<
      ControlPlaneCall & { params: Record<ParameterOf<Path>, string> },
      ControlPlaneAccess,
      Parameters,
      Schema
    >,
    "access" | "path"
  > & { access?: ControlPlaneAccess; path: Path },
): ControlPlaneRoute {
  return { access: "key", ...definition } as unknown as ControlPlaneRoute;
}

/** Parameters that proxies and HTTP libraries add, to bypass caches or to track visitors. */
const proxyParameters = /^(_.*|utm_.*|cb|cachebuster|cache_buster|nocache|no_cache)$/i;

/** Parameters and fields that control planes accept without effect. */
export const inertParts: readonly InertPart[] = [
  {
    name: "tracked_packages",
    isInert: (value) => Array.isArray(value) && value.length > 0,
    reason: "has no effect: no dependencies are tracked",
  },
  {
    name: "use_agent_builder_public_oauth",
    isInert: (value) => value === true,
    reason: "has no effect: there is no public client",
  },
  {
    name: "delete_tracing_project",
    isInert: (value) => value === true,
    reason: "is stored without effect: there are no tracing projects",
  },
];

/**
 * How the control plane reports invalid requests: with all invalid fields, as the service does. Unknown filters are
 * always refused, since a client that takes the first match would act on the wrong deployment. Parameters of OAuth
 * providers and of proxies don't count as filters.
 */
export const validationStyle = (isStrict: boolean, operation: ControlPlaneRoute): ValidationStyle => ({
  refusal: unprocessable,
  unreadable: jsonIssue,
  emptyBody: undefined,
  dropsNulls: false,
  refusesUnknownFields: isStrict,
  refusesUnknownParameter: (name) => isStrict || (isFiltered(operation) && !proxyParameters.test(name)),
});

/**
 * Whether an unknown query parameter could be meant as a filter: true for operations that list or select several
 * resources.
 */
function isFiltered({ access, method, path, query }: ControlPlaneRoute): boolean {
  return access === "key" && (query !== undefined || (method !== "post" && !path.endsWith("}")));
}

export interface ServeOptions {
  apiKeys: ApiKeys;
  /** Whether to refuse what is otherwise tolerated. */
  strict: boolean;
  /** Called with a sentence for each part of a request that has no effect. */
  warn(message: string): void;
  servicesOf: (tenancy: Tenancy) => TenantServices;
}

/** Serves `routes` in one edition; other methods of known paths get 405. */
export function serveRoutes(
  router: Router<Endpoint>,
  edition: Edition,
  routes: readonly ControlPlaneRoute[],
  { apiKeys, strict, warn, servicesOf }: ServeOptions,
): void {
  for (const definition of routes) {
    const read = requestReader(definition, validationStyle(strict, definition));
    router.onlyOn(definition.method.toUpperCase(), editionPrefixes[edition] + definition.path, {
      operation: definition.id,
      async handle(context) {
        const needsKey = definition.access === "key";
        const credentials = {
          apiKey: context.header("x-api-key"),
          authorization: context.header("authorization"),
          tenantId: context.header("x-tenant-id"),
        };
        const tenantId = needsKey ? apiKeys.enter(credentials) : "";
        if (needsKey) context.tenant = tenantId;
        const request = await read(context);
        // OAuth providers may add parameters of their own to callbacks.
        if (definition.access === "key") for (const part of ignoredParts(definition, request, inertParts)) warn(part);
        const tenancy = { edition, tenantId };
        const call = {
          ...servicesOf(tenancy),
          tenancy,
          // Getters, since few handlers use these.
          get caller() {
            return needsKey ? apiKeys.callerOf(credentials) : "";
          },
          get signal() {
            return context.signal;
          },
          ...request,
        };
        return definition.handle(call as Parameters<typeof definition.handle>[0]);
      },
    });
  }
}
