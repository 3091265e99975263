import type { MockRequest } from "./route.ts";

/**
 * A JSON response, kept as text for the journal; without a body when `body` is undefined. Its headers are kept as well, because reading them
 * from a response costs more than all the rest of a small request.
 */
export function sendJson(
  context: MockRequest,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  const all: Record<string, string> = { ...headers, "x-request-id": context.get("requestId") };
  context.set("responseHeaders", all);
  if (body === undefined) return new Response(null, { status, headers: all });
  const text = JSON.stringify(body);
  all["content-type"] = "application/json";
  context.set("responseText", text);
  return new Response(text, { status, headers: all });
}

/**
 * An HTML page. Nothing in it is run or loaded from elsewhere, no other site can frame it, and no address that it came from, which may hold a
 * code, is told to others.
 */
export function sendPage(context: MockRequest, status: number, html: string): Response {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "x-request-id": context.get("requestId"),
  };
  context.set("responseHeaders", headers);
  return new Response(html, { status, headers });
}
