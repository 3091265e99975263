import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { isFromOtherSite } from "./other-sites.ts";

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
