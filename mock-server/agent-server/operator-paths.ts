import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { isLoopbackOrigin } from "../kit/loopback.ts";

/**
 * Whether a path is for the operators of a server. It can delete everything, so it isn't open to pages of other sites,
 * unlike all other paths.
 */
export function isForOperators(path: string): boolean {
  return path === "/internal" || path.startsWith("/internal/");
}

/**
 * Refuses requests of pages of other sites. Without CORS headers a page can't read the response, but its browser still
 * sends simple requests.
 * @throws {HttpError} 403
 */
export function refuseCrossSitePages(context: Pick<RequestContext, "header">): void {
  if (isFromOtherSite(context)) throw new HttpError(403, "Web pages of other sites can't use operators' paths.");
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
