import { jsonResponse } from "./kit/http/http-response.ts";
import type { Middleware } from "./kit/http/middleware.ts";
import { isLoopbackName } from "./kit/loopback.ts";

export interface HostGuardOptions {
  /** The address that clients reach the server by, where it may be another than its own. */
  publicUrl?: () => string;
  /** Names or addresses, with or without a port. */
  allowedHosts: readonly string[];
}

/**
 * Refuses requests for other names than this machine's: a page of a name that was rebound to loopback would read what only programs of this machine are to see.
 * Browsers always send the name; a client without one isn't a browser.
 */
export function hostGuard({ publicUrl, allowedHosts }: HostGuardOptions): Middleware {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (context, next) => {
    const host = context.header("host")?.toLowerCase();
    const url = URL.parse(`http://${host}`);
    const isKnown =
      host === undefined ||
      (url !== null && (isLoopbackName(url.hostname) || allowed.has(url.hostname))) ||
      allowed.has(host) ||
      (publicUrl !== undefined && host === new URL(publicUrl()).host);
    if (isKnown) return next(context);
    const advice = publicUrl
      ? "Allow it with --allow-host, or name it in --public-url."
      : "Allow it with --allow-host.";
    const detail = `This server listens on loopback and responds to its names only; the Host was ${JSON.stringify(host)}. ${advice}`;
    return jsonResponse(421, { detail });
  };
}
