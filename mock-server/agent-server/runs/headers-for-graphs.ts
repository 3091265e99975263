import { globMatcher } from "../../kit/glob.ts";
import { type HeaderPatterns, matchingHeaders } from "../../kit/http/header-patterns.ts";
import type { Fields } from "../engine/contract.ts";

/** Headers that graphs never see. */
const keys: ReadonlySet<string> = new Set(["x-api-key", "x-tenant-id", "x-service-key", "authorization"]);

/** The headers of a request that graphs find in `configurable`. */
export function headersForGraphs(headers: Headers | undefined, patterns: HeaderPatterns | null): Fields {
  const allowed = [...(headers ?? [])].filter(([name]) => !keys.has(name));
  return matchingHeaders(allowed, patterns ?? { includes: null, excludes: [] }, isForGraphsByDefault);
}

/**
 * Whether a name in `configurable` is that of a header. A pattern that matches everything says nothing about a name.
 */
export function isNameOfHeader(name: string, patterns: HeaderPatterns | null): boolean {
  return isForGraphsByDefault(name) || (patterns?.includes ?? []).some((one) => one !== "*" && globMatcher(one)(name));
}

function isForGraphsByDefault(name: string): boolean {
  return name === "user-agent" || name.startsWith("x-");
}
