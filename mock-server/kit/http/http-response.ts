import type { WebSocket } from "ws";
import type { RequestContext } from "./request-context.ts";
import { isTooLarge, tooLarge } from "./too-large.ts";

/** A response before it is written. Has at most one of `body`, `json` and `content`; without one, there is no body. */
export interface HttpResponse {
  status: number;
  /** Headers by lower-case name. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A value to send as JSON. */
  body?: unknown;
  /** Serialized JSON. */
  json?: string;
  /** Any other content, with its type in the headers; a stream is sent as it is read. */
  content?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** Whether the content goes on for as long as the client stays; a closing server doesn't wait for its end. */
  isEndless?: boolean;
  /** Resets the connection, or closes it after `content`, with a content-length of `length` if given. */
  disruption?: { kind: "reset" } | { kind: "truncated"; length: number | undefined };
  /** Accepts a WebSocket, with status 101, and receives the connection. */
  accept?: (socket: WebSocket) => void;
}

/** Handles one request. */
export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** A JSON response; without a body when `body` is `undefined`. */
export function jsonResponse(status: number, body: unknown, headers?: Record<string, string>): HttpResponse {
  return headers ? { status, body, headers } : { status, body };
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * An HTML page. It can't run scripts, load anything from other sites or be framed, and browsers don't send its URL,
 * which may hold a code, as a referrer.
 */
export function pageResponse(status: number, html: string): HttpResponse {
  return { status, content: html, headers: pageHeaders };
}

/** Whether a response is a stream of server-sent events. */
export function isEventStream({ headers }: HttpResponse): boolean {
  return String(headers?.["content-type"] ?? "").startsWith("text/event-stream");
}

/** Whether responses with this status have neither a body nor a length (RFC 9110, section 6.4.1). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * The response with serialized JSON and all headers but those of the connection; a refusal where the JSON would be too
 * large.
 */
export function serialized(response: HttpResponse): HttpResponse {
  const { status, headers, body } = response;
  try {
    const json = response.json ?? (body === undefined ? undefined : JSON.stringify(body));
    if (json === undefined || (json === response.json && headers?.["content-type"])) return response;
    return { status, json, headers: { "content-type": "application/json", ...headers } };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const refusal = tooLarge();
    return serialized(jsonResponse(refusal.status, { detail: refusal.detail }));
  }
}
