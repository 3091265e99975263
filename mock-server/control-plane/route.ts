import type { z } from "zod";
import { unprocessable } from "../kit/http/http-error.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import type { QueryParameter, Route, RouteDefinition } from "../kit/operation/operation.ts";
import { requestReader, type ValidationStyle } from "../kit/operation/request-reader.ts";
import { jsonIssue } from "../kit/operation/validation-issues.ts";
import type { Mock } from "../mock.ts";
import type { Scope } from "./deployments/deployment-model.ts";
import type { Edition } from "./store/records.ts";

/** Who may use an operation: holders of a key, or also those who have none, such as browsers on their way back from an OAuth provider. */
type ControlPlaneAccess = "key" | "open";

/** Whose request it is. */
interface ControlPlaneCall {
  mock: Mock;
  /** Of an open operation, whose caller shows no key, the workspace is empty. */
  scope: Scope;
  /** Who calls, as the auth service knows them: one identifier for each key. Empty for an open operation. */
  caller: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

export type ControlPlaneRoute = Route<ControlPlaneCall, ControlPlaneAccess>;

/** Describes an operation together with its handler. @default access: "key" */
export function route<
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(
  definition: Omit<RouteDefinition<ControlPlaneCall, ControlPlaneAccess, Parameters, Schema>, "access"> & {
    access?: ControlPlaneAccess;
  },
): ControlPlaneRoute {
  return { access: "key", ...definition } as unknown as ControlPlaneRoute;
}

/** How the control plane judges requests: all broken fields are listed, as the service does. */
const validationStyle = (isStrict: boolean): ValidationStyle => ({
  refusal: unprocessable,
  unreadable: jsonIssue,
  emptyBody: undefined,
  dropsNulls: false,
  refusesUnknown: isStrict,
});

/** Serves `routes` in one edition; methods that a known path doesn't have get 405. */
export function serveRoutes(
  router: Router<Endpoint>,
  prefix: string,
  mock: Mock,
  edition: Edition,
  routes: readonly ControlPlaneRoute[],
): void {
  const style = validationStyle(mock.strict);
  for (const definition of routes) {
    const read = requestReader(definition, style);
    router.onlyOn(definition.method.toUpperCase(), prefix + definition.path, {
      operation: definition.id,
      async handle(context) {
        let tenantId = "";
        let caller = "";
        if (definition.access === "key") {
          const credentials = {
            apiKey: context.header("x-api-key"),
            authorization: context.header("authorization"),
            tenantId: context.header("x-tenant-id"),
          };
          tenantId = mock.keys.enter(credentials);
          caller = mock.keys.callerOf(credentials);
          context.tenant = tenantId;
        }
        const request = await read(context);
        const surroundings = { mock, scope: { edition, tenantId }, caller, signal: context.signal };
        return definition.handle({ ...surroundings, ...request } as Parameters<typeof definition.handle>[0]);
      },
    });
  }
}
