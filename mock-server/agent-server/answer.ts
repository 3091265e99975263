import type { Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";

/** Browsers may read these headers of a response from another origin. */
const exposedHeaders = "content-location, location, x-pagination-next, x-pagination-total";

/** What lets pages of any origin read a response. */
const corsHeaders: Record<string, string> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
};

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});

/** An answer that goes on until its events end. Nothing on the way may keep them back. */
export function eventStream(content: ReadableStream<Uint8Array>, headers: Record<string, string>): Answer {
  return {
    status: 200,
    content,
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    },
  };
}

/** The same answer for pages of any origin. */
export function forAnyOrigin(answer: Answer): Answer {
  return { ...answer, headers: answer.headers ? { ...corsHeaders, ...answer.headers } : corsHeaders };
}

/** The answer to a browser that asks whether it may send a request. */
export function preflight(exchange: Exchange): Answer {
  return {
    status: 204,
    headers: {
      ...corsHeaders,
      "access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE, PATCH",
      "access-control-allow-headers": exchange.header("access-control-request-headers") ?? "*",
      "access-control-max-age": "600",
    },
  };
}
