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

/** Who may use an operation: holders of a key, or also those who have none, such as browsers on their way back from an OAuth provider. */
type ControlPlaneAccess = "key" | "open";

/** What a handler works with: the services of the caller's tenancy, which of an open operation is that of no workspace. */
interface ControlPlaneCall extends TenantServices {
  tenancy: Tenancy;
  /** Who calls, as the auth service knows them: one identifier for each key. Empty for an open operation. */
  caller: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export type ControlPlaneRoute = Route<ControlPlaneCall, ControlPlaneAccess>;

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Describes an operation together with its handler. @default access: "key" */
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

/** What proxies and HTTP libraries add to an address so that nothing answers from a cache, or that tells where a visitor comes from. */
const addedOnTheWay = /^(_.*|utm_.*|cb|cachebuster|cache_buster|nocache|no_cache)$/i;

/** What clients may ask a control plane for, and it takes without doing anything about it. */
export const inertParts: readonly InertPart[] = [
  {
    name: "tracked_packages",
    asks: (value) => Array.isArray(value) && value.length > 0,
    reason: "does nothing: no dependencies are followed",
  },
  {
    name: "use_agent_builder_public_oauth",
    asks: (value) => value === true,
    reason: "does nothing: there is no public client",
  },
  {
    name: "delete_tracing_project",
    asks: (value) => value === true,
    reason: "is kept, and does nothing: there are no tracing projects",
  },
];

/**
 * How the control plane judges requests: all broken fields are listed, as the service does. A filter that it doesn't know is always refused: a client that
 * takes the first of what it filtered would act on another deployment. What browsers bring along from an OAuth provider isn't a filter, nor is what is added on
 * the way.
 */
export const validationStyle = (isStrict: boolean, operation: ControlPlaneRoute): ValidationStyle => ({
  refusal: unprocessable,
  unreadable: jsonIssue,
  emptyBody: undefined,
  dropsNulls: false,
  refusesUnknownFields: isStrict,
  refusesUnknownParameter: (name) => isStrict || (isFiltered(operation) && !addedOnTheWay.test(name)),
});

/** Whether what a client adds to the address would choose among many, also where the service has no filters. */
function isFiltered({ access, method, path, query }: ControlPlaneRoute): boolean {
  return access === "key" && (query !== undefined || (method !== "post" && !path.endsWith("}")));
}

export interface ServeOptions {
  apiKeys: ApiKeys;
  /** Refuse what servers usually forgive. */
  strict: boolean;
  /** Takes what of a request does nothing, in a sentence. */
  warn(message: string): void;
  servicesOf: (tenancy: Tenancy) => TenantServices;
}

/** Serves `routes` in one edition; methods that a known path doesn't have get 405. */
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
        // What browsers bring along from an OAuth provider is that provider's.
        if (definition.access === "key") for (const part of ignoredParts(definition, request, inertParts)) warn(part);
        const tenancy = { edition, tenantId };
        const call = {
          ...servicesOf(tenancy),
          tenancy,
          // Few handlers look at these.
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
