import { networkHeaders } from "../../kit/http/network-permissions.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";
import type { CorsSettings } from "../load/http-config-schema.ts";

type CorsHeaders = Record<string, string>;

const defaultMethods = ["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"];
const alwaysExposed = ["content-location", "location", "x-pagination-next", "x-pagination-total"];

/**
 * Headers that let pages of allowed origins read a response; none for other origins and for clients that aren't pages.
 */
export function corsHeadersOf(settings: CorsSettings, origin: string | undefined): CorsHeaders {
  const allowed = allowedOrigin(settings, origin);
  return {
    ...(allowed === "*" ? {} : { vary: "Origin" }),
    ...(allowed === undefined
      ? {}
      : {
          "access-control-allow-origin": allowed,
          "access-control-expose-headers": [...alwaysExposed, ...(settings.expose_headers ?? [])].join(", "),
          ...(settings.allow_credentials ? { "access-control-allow-credentials": "true" } : {}),
        }),
  };
}

/** The headers of the response to a preflight request. */
export function preflightHeadersOf(settings: CorsSettings, context: RequestContext): CorsHeaders {
  const headers = corsHeadersOf(settings, context.header("origin"));
  if (headers["access-control-allow-origin"] === undefined) return headers;
  const { allow_methods: methods = defaultMethods, allow_headers: names, max_age: maxAge = 600 } = settings;
  return {
    ...headers,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": names?.join(", ") ?? context.header("access-control-request-headers") ?? "*",
    "access-control-max-age": String(maxAge),
    ...networkHeaders(context),
  };
}

/** Whether the settings of a project name an origin; without settings, none is named. */
export function namesOrigin(settings: CorsSettings | null, origin: string): boolean {
  return settings !== null && allowedOrigin(settings, origin) !== undefined;
}

function allowedOrigin(settings: CorsSettings, origin: string | undefined): string | undefined {
  const { allow_origins: origins = [], allow_origin_regex: pattern, allow_credentials: credentials } = settings;
  // Browsers reject a wildcard together with credentials.
  if (origins.includes("*")) return credentials ? origin : "*";
  if (origin === undefined) return undefined;
  const matches = origins.includes(origin) || (pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(origin));
  return matches ? origin : undefined;
}
