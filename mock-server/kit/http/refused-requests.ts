import { type HttpResponse, jsonResponse } from "./http-response.ts";
import type { RequestContext } from "./request-context.ts";

/** What an `Allow` of a server as a whole says. */
export const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** The response to what no request of the Fetch API can say, and so no auth handler or app be asked about; `undefined` for every other request. */
export function refusalOf(context: RequestContext): HttpResponse | undefined {
  if (context.method === "TRACE") return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: allowedMethods });
  const host = context.header("host");
  return host === undefined || isHost(host)
    ? undefined
    : jsonResponse(400, { detail: "The Host header isn't a host." });
}

/** Whether a Host header is a name or an address, with or without a port. */
function isHost(host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`);
}
