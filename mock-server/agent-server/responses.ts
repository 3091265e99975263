import type { HttpResponse } from "../kit/http/http-response.ts";

export const ok = (body: unknown, headers?: Record<string, string>): HttpResponse => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});

/** A response that continues until its events end. Nothing on the way may keep them back. */
export function eventStream(content: ReadableStream<Uint8Array>, headers: Record<string, string>): HttpResponse {
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
