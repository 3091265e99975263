import type { WebSocket } from "ws";
import type { RequestContext } from "./request-context.ts";
import { isTooLarge, tooLarge } from "./too-large.ts";

/** A response, before it is written. At most one of `body`, `json` and `content` is given; without any, there is no body. */
export interface HttpResponse {
  status: number;
  /** By names in lower case. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A value to be sent as JSON. */
  body?: unknown;
  /** JSON that is text already. */
  json?: string;
  /** Anything else, whose type the headers tell; a stream is sent as it comes. */
  content?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** Instead of a complete response: the connection is reset, or closed after `content`, of which `length` bytes are announced, or none. */
  disruption?: { kind: "reset" } | { kind: "truncated"; length: number | undefined };
  /** Accepts a request for a WebSocket, with status 101, and gets the connection. */
  accept?: (socket: WebSocket) => void;
}

/** Handles one request. */
export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** A response in JSON; without a body when `body` is undefined. */
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
 * An HTML page. Nothing in it runs or is loaded from elsewhere, no other site can frame it, and the address that it came from, which may hold a
 * code, is sent to nobody.
 */
export function pageResponse(status: number, html: string): HttpResponse {
  return { status, content: html, headers: pageHeaders };
}

/** Whether a response goes on for as long as there are events. */
export function isEventStream({ headers }: HttpResponse): boolean {
  return String(headers?.["content-type"] ?? "").startsWith("text/event-stream");
}

/** Whether responses with a status have no body, and so nothing that says how long it is (RFC 9110, section 6.4.1). Those to HEAD neither. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** The same response with its JSON as text and all headers but those that depend on the connection; a refusal where the text would be too large. */
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
