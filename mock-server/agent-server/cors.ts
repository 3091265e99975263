import type { HttpResponse } from "../kit/http/http-response.ts";
import { networkHeaders } from "../kit/http/network-permissions.ts";
import type { RequestContext } from "../kit/http/request-context.ts";

/** Response headers that pages of other origins may read. */
const exposedHeaders = "content-location, location, x-pagination-next, x-pagination-total";

/** Headers that let pages of any origin read a response. */
const corsHeaders: Record<string, string> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
};

/** The response with headers that let pages of any origin read it. */
export function forAnyOrigin(response: HttpResponse): HttpResponse {
  return { ...response, headers: response.headers ? { ...corsHeaders, ...response.headers } : corsHeaders };
}

/** The response to a preflight request. */
export function preflight(context: RequestContext): HttpResponse {
  return {
    status: 204,
    headers: {
      ...corsHeaders,
      "access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE, PATCH",
      "access-control-allow-headers": context.header("access-control-request-headers") ?? "*",
      "access-control-max-age": "600",
      ...networkHeaders(context),
    },
  };
}
