import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { isLoopbackOrigin } from "../kit/loopback.ts";

/** Whether a path is for the operators of a server: what empties it isn't for the pages of any site, which CORS lets in everywhere else. */
export function isForOperators(path: string): boolean {
  return path === "/internal" || path.startsWith("/internal/");
}

/**
 * Refuses pages of other sites. Without CORS they can't read a response, but browsers send a request all the same, unless it has a header that pages have to
 * ask for. A name that was rebound to this machine is another site, too.
 * @throws {HttpError} 403
 */
export function refuseForeignPages(context: Pick<RequestContext, "header">): void {
  const origin = context.header("origin");
  const isForeign =
    origin === undefined ? context.header("sec-fetch-site") === "cross-site" : !isLoopbackOrigin(origin);
  if (isForeign) throw new HttpError(403, "What is for operators isn't for web pages from elsewhere.");
}
