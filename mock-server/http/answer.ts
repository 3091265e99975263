/** What is answered to a request, before it is written. At most one of `body`, `json` and `content` is given; without any, there is no body. */
export interface Answer {
  status: number;
  /** By names in lower case. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A value to be sent as JSON. */
  body?: unknown;
  /** JSON that is text already. */
  json?: string;
  /** Anything else, whose type the headers tell; a stream is sent as it comes. */
  content?: string | Uint8Array | ReadableStream<Uint8Array>;
}

/** An answer in JSON; without a body when `body` is undefined. */
export function sendJson(status: number, body: unknown, headers?: Record<string, string>): Answer {
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
 * An HTML page. Nothing in it is run or loaded from elsewhere, no other site can frame it, and no address that it came from, which may hold a
 * code, is told to others.
 */
export function sendPage(status: number, html: string): Answer {
  return { status, content: html, headers: pageHeaders };
}

/** Whether an answer goes on for as long as there are events. */
export function isEventStream({ headers }: Answer): boolean {
  return String(headers?.["content-type"] ?? "").startsWith("text/event-stream");
}
