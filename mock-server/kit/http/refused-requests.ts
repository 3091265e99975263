import { type HttpResponse, jsonResponse } from "./http-response.ts";
import type { RequestContext } from "./request-context.ts";

/** The `Allow` header of the server as a whole. */
export const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * The refusal of a request that can't be a `Request` of the Fetch API, as auth handlers and apps need it; `undefined`
 * for every other request.
 */
export function refusalOf(context: RequestContext): HttpResponse | undefined {
  if (context.method === "TRACE") return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: allowedMethods });
  const host = context.header("host");
  return host === undefined || isHost(host)
    ? undefined
    : jsonResponse(400, { detail: "The Host header isn't a host." });
}

/** Whether a Host header is a name or an address, optionally with a port. */
function isHost(host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`);
}
