import type { HttpResponse } from "../kit/http/http-response.ts";

export const ok = (body: unknown, headers?: Record<string, string>): HttpResponse => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});

/** A response with server-sent events that go on until the client disconnects. */
export const endlessStream = (content: ReadableStream<Uint8Array>): HttpResponse => ({
  ...eventStream(content, {}),
  isEndless: true,
});

/** A response with server-sent events. Its headers forbid proxies to buffer them. */
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
