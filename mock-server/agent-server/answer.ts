/** What a handler answers; without `body`, the response has none. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Browsers may read these headers of a response from another origin. */
const exposedHeaders = "content-location, location, x-pagination-next, x-pagination-total";

/** What lets pages of any origin read a response. */
export const corsHeaders: Record<string, string> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
};

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});

/** The response that says an answer. */
export function toResponse({ status, body, headers }: Answer): Response {
  if (body === undefined) return new Response(null, { status, headers: { ...corsHeaders, ...headers } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...corsHeaders, "content-type": "application/json", ...headers },
  });
}

/** A response that goes on until its events end. Nothing on the way may keep them back. */
export function eventStream(body: ReadableStream<Uint8Array>, headers: Record<string, string>): Response {
  return new Response(body, {
    headers: {
      ...corsHeaders,
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}

/** The answer to a browser that asks whether it may send a request. */
export function preflight(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders,
      "access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE, PATCH",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
      "access-control-max-age": "600",
    },
  });
}
