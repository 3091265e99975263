import { HeaderFields } from "./header-fields.ts";
import { MalformedRequest } from "./malformed-request.ts";

/** Largest head of a request that is accepted, in bytes: 16 KiB, as Node's own server does. */
export const largestHead = 16 * 1024;

/** What a request begins with. */
export interface RequestHead {
  /** As it was sent. Methods are case-sensitive. */
  method: string;
  /** The request target, as it was sent. */
  target: string;
  /** Of HTTP/1. */
  minorVersion: 0 | 1;
  fields: HeaderFields;
}

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) ([\x21-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)\r\n/;

/**
 * Reads a head, whose text goes from the request line to the last header's end of line. Clients repeat their headers: where they equal `known`, that is taken.
 * @throws {MalformedRequest} 400, 417, 501 or 505
 */
export function parseHead(text: string, known?: HeaderFields): RequestHead {
  const line = requestLine.exec(text);
  if (!line) throw new MalformedRequest(400, "This is no request line of HTTP/1.1.");
  const [whole, method, target, majorVersion, minorVersion] = line as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  if (majorVersion !== "1") throw new MalformedRequest(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.");
  const rest = text.slice(whole.length);
  const fields = rest === known?.text ? known : new HeaderFields(rest);
  if (fields.hosts > 1 || (fields.hosts === 0 && minorVersion !== "0")) {
    throw new MalformedRequest(400, "A request of HTTP/1.1 has one Host header.");
  }
  // Nothing on the way can be trusted to have read them the same (RFC 9112, section 6.1).
  if (fields.isChunked && minorVersion === "0") throw new MalformedRequest(400, "HTTP/1.0 has no Transfer-Encoding.");
  return { method, target, minorVersion: minorVersion === "0" ? 0 : 1, fields };
}

const firstOfMethod = /[!#$%&'*+.^_`|~\w-]/;

/** Whether a head can still come of what has come from `start` on, which has no end yet: so a client that speaks another protocol isn't waited for. */
export function canBecomeHead(bytes: Buffer, start: number): boolean {
  const first = String.fromCharCode(bytes[start] as number);
  if (first === "\r") return bytes.length === start + 1;
  const lineFeed = bytes.indexOf(0x0a, start);
  return firstOfMethod.test(first) && (lineFeed < 0 || bytes[lineFeed - 1] === 0x0d);
}
