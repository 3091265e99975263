import type { RequestContext } from "./request-context.ts";

/** What a browser asks of a server in a network that the page isn't from, by its older and its newer name. */
const networkPermissions = {
  "access-control-request-private-network": "access-control-allow-private-network",
  "access-control-request-local-network": "access-control-allow-local-network",
};

/** What lets a page of an allowed origin reach a server of the user's own network. */
export function networkHeaders(context: RequestContext): Record<string, string> {
  const requested = Object.entries(networkPermissions).filter(([name]) => context.header(name) === "true");
  return Object.fromEntries(requested.map(([, permission]) => [permission, "true"]));
}
