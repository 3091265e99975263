import { HttpError } from "../kit/http/http-error.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { isLoopbackName, isLoopbackOrigin } from "../kit/loopback.ts";
import { outboundHeader } from "../kit/outbound.ts";
import { isSameText } from "../kit/same-text.ts";

function hostName(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/**
 * Keeps web pages, other machines and mock servers themselves out of the admin API: on loopback, Host and Origin must be loopback names (a page of another site, or
 * of a name rebound to this machine, has others); elsewhere, and wherever a token is set, the token is asked for.
 * @throws {HttpError} 403
 */
export function guardAdmin(
  context: Pick<RequestContext, "header">,
  isOnLoopback: boolean,
  token: string | undefined,
): void {
  if (context.header(outboundHeader) !== undefined) {
    throw new HttpError(403, "Mock servers don't call the admin API.");
  }
  if (context.header("sec-fetch-site") === "cross-site") throw notForPages();
  const origin = context.header("origin");
  if (isOnLoopback) {
    const host = hostName(`http://${context.header("host") ?? ""}`);
    if (host === undefined || !isLoopbackName(host)) {
      throw new HttpError(403, "The admin API is for loopback names only: use http://127.0.0.1 or http://localhost.");
    }
    if (origin !== undefined && !isLoopbackOrigin(origin)) throw notForPages();
  } else if (token === undefined) {
    throw new HttpError(403, "Off loopback, the admin API needs a token: start the server with one.");
  } else if (origin !== undefined && hostName(origin) !== hostName(`http://${context.header("host") ?? ""}`)) {
    throw notForPages();
  }
  if (token !== undefined && !isSameText(context.header("authorization") ?? "", `Bearer ${token}`)) {
    throw new HttpError(403, "The admin API needs its token: send it as Authorization: Bearer <token>.");
  }
}

const notForPages = () => new HttpError(403, "The admin API is not for web pages from elsewhere.");
