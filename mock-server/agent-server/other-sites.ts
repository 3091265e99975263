import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { isLoopbackOrigin } from "../kit/loopback.ts";
import type { ProtocolHost } from "./protocol-host.ts";

/**
 * Refuses pages of other sites what their browsers send without asking first, unless the project's CORS settings name
 * them. `action` is what they can't do.
 * @throws {HttpError} 403
 */
export function refuseOtherSites({ context, allowsOrigin }: ProtocolHost, action: string): void {
  if (!isFromOtherSite(context, allowsOrigin)) return;
  throw new HttpError(403, `Web pages of other sites can't ${action}. Name their origin in http.cors.`);
}

/**
 * Whether a request comes from a page of another site, and one that `allows` doesn't name. A name that was rebound to
 * this machine counts as another site.
 */
export function isFromOtherSite(
  context: Pick<RequestContext, "header">,
  allows: (origin: string) => boolean = () => false,
): boolean {
  const origin = context.header("origin");
  if (origin === undefined) return context.header("sec-fetch-site") === "cross-site";
  return !isLoopbackOrigin(origin) && !allows(origin);
}
