import type { RequestContext } from "./request-context.ts";

/**
 * Headers with which a browser requests access to a server in another network, and the responses that grant it; older
 * and newer names.
 */
const networkPermissions = {
  "access-control-request-private-network": "access-control-allow-private-network",
  "access-control-request-local-network": "access-control-allow-local-network",
};

/** Headers that let a page of an allowed origin reach a server in the user's network. */
export function networkHeaders(context: RequestContext): Record<string, string> {
  const requested = Object.entries(networkPermissions).filter(([name]) => context.header(name) === "true");
  return Object.fromEntries(requested.map(([, permission]) => [permission, "true"]));
}
