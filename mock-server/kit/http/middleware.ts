import type { Handler, HttpResponse } from "./http-response.ts";
import type { RequestContext } from "./request-context.ts";

/** Acts before, after or instead of `next`. */
export type Middleware = (context: RequestContext, next: Handler) => HttpResponse | Promise<HttpResponse>;

/** A handler that passes requests through the middleware; the first is the outermost. */
export function chain(...links: [...Middleware[], Handler]): Handler {
  const middleware = links.slice(0, -1) as Middleware[];
  return middleware.reduceRight<Handler>((next, link) => (context) => link(context, next), links.at(-1) as Handler);
}
