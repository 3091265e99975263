import type { Handler, HttpResponse } from "./http-response.ts";
import type { RequestContext } from "./request-context.ts";

/** Does something before or after `next`, or in its place. */
export type Middleware = (context: RequestContext, next: Handler) => HttpResponse | Promise<HttpResponse>;

/** A handler that passes each request through the middleware, the first being the outermost. */
export function chain(...links: [...Middleware[], Handler]): Handler {
  const middleware = links.slice(0, -1) as Middleware[];
  return middleware.reduceRight<Handler>((next, link) => (context) => link(context, next), links.at(-1) as Handler);
}
