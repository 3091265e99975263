import type { MockRequest } from "./route.ts";

/** A JSON response, kept as text for the journal; without a body when `body` is undefined. */
export function sendJson(
  context: MockRequest,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  const always = { ...headers, "x-request-id": context.get("requestId") };
  if (body === undefined) return new Response(null, { status, headers: always });
  const text = JSON.stringify(body);
  context.set("responseText", text);
  return new Response(text, { status, headers: { "content-type": "application/json", ...always } });
}
