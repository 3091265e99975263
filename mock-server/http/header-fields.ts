import { MalformedRequest } from "./malformed-request.ts";
import { isHeaderName, isHeaderValue } from "./message-grammar.ts";

/** Headers of which the first one counts where there are several; the values of all others are joined. */
const single: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "host",
  "proxy-authorization",
  "user-agent",
]);

/** The headers of a request, read from their text, and what they say about the rest of it. */
export class HeaderFields {
  /** From the first header's name to the last one's end of line. */
  readonly text: string;
  /** Names, as they were sent, and values in turn. */
  readonly lines: readonly string[];
  readonly #names: readonly string[];
  /** Length of the body in bytes; 0 where there is none or only its chunks tell. */
  readonly contentLength: number;
  /** Whether the body comes in chunks. */
  readonly isChunked: boolean;
  /** What the Connection header says about what comes after the answer; `null`: nothing. */
  readonly connection: "close" | "keep-alive" | null;
  /** Whether the client waits to be asked for the body. */
  readonly expectsContinue: boolean;
  /** How many Host headers there are. */
  readonly hosts: number;

  /** @throws {MalformedRequest} 400, 417 or 501 */
  constructor(text: string) {
    this.text = text;
    const lines: string[] = [];
    const names: string[] = [];
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf("\r\n", start);
      const colon = text.indexOf(":", start);
      const name = text.slice(start, colon);
      const value = withoutBlanks(text, colon + 1, end);
      if (colon < 0 || colon > end || !isHeaderName(name))
        throw new MalformedRequest(400, "A header has no valid name.");
      if (!isHeaderValue(value))
        throw new MalformedRequest(400, `The header ${name} has characters that no header has.`);
      lines.push(name, value);
      names.push(name.toLowerCase());
      start = end + 2;
    }
    this.lines = lines;
    this.#names = names;
    const coding = this.get("transfer-encoding")?.toLowerCase();
    const length = this.get("content-length");
    if (coding !== undefined && coding !== "chunked") {
      throw new MalformedRequest(501, "The only Transfer-Encoding that is understood is chunked.");
    }
    if (coding !== undefined && length !== undefined) {
      throw new MalformedRequest(400, "Content-Length and Transfer-Encoding contradict each other: send one of them.");
    }
    // 15 digits are below the largest number that is exact.
    if (length !== undefined && !/^\d{1,15}$/.test(length)) {
      throw new MalformedRequest(400, "Content-Length must be one number of bytes.");
    }
    this.isChunked = coding !== undefined;
    this.contentLength = Number(length ?? 0);
    const words =
      this.get("connection")
        ?.toLowerCase()
        .split(/[\t ,]+/) ?? [];
    this.connection = words.includes("close") ? "close" : words.includes("keep-alive") ? "keep-alive" : null;
    const expectation = this.get("expect")?.toLowerCase();
    if (expectation !== undefined && expectation !== "100-continue") {
      throw new MalformedRequest(417, "The only Expect that is understood is 100-continue.");
    }
    this.expectsContinue = expectation !== undefined;
    this.hosts = names.filter((name) => name === "host").length;
  }

  /** `name` is in lower case. */
  get(name: string): string | undefined {
    let value: string | undefined;
    for (let index = 0; index < this.#names.length; index++) {
      if (this.#names[index] !== name) continue;
      const one = this.lines[2 * index + 1] as string;
      if (value === undefined) value = one;
      else if (!single.has(name)) value = `${value}${name === "cookie" ? ";" : ","} ${one}`;
    }
    return value;
  }
}

/** A part of a text without the spaces and tabs around it. */
function withoutBlanks(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
