import { MalformedRequest } from "./malformed-request.ts";
import { isHeaderName, isHeaderValue } from "./message-grammar.ts";

/** Longest line with a chunk's size, or of a trailer, in bytes; and of all that is passed over together, which no limit of a body counts. */
const longestLine = 1024;
const mostPassedOver = 16 * 1024;

/** Takes a chunked body apart (RFC 9112, section 7.1), however its bytes are cut. Extensions of chunks and trailers are passed over. */
export class ChunkReader {
  isComplete = false;
  #awaits: "size" | "data" | "end of data" | "trailer" = "size";
  /** The part of a line that has come. */
  #line = "";
  #left = 0;
  #passedOver = 0;

  /**
   * Reads from `start` on, gives each piece of the body to `onData`, and returns where the body ends, or the length of `bytes`.
   * @throws {MalformedRequest} 400
   */
  take(bytes: Buffer, start: number, onData: (piece: Buffer) => void): number {
    let position = start;
    while (position < bytes.length && !this.isComplete) {
      if (this.#awaits === "data") {
        const end = Math.min(bytes.length, position + this.#left);
        onData(bytes.subarray(position, end));
        this.#left -= end - position;
        position = end;
        if (this.#left === 0) this.#awaits = "end of data";
      } else position = this.#takeLine(bytes, position);
    }
    return position;
  }

  #takeLine(bytes: Buffer, start: number): number {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (this.#line.length + end - start > longestLine) throw malformed();
    this.#line += bytes.toString("latin1", start, end);
    if (newline < 0) return end;
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r\n")) throw malformed();
    this.#next(line.slice(0, -2));
    return end;
  }

  #next(line: string): void {
    if (this.#awaits === "size") {
      const size = /^([\da-f]{1,8})[\t ]*(?:;|$)/i.exec(line)?.[1];
      if (size === undefined || !isHeaderValue(line)) throw malformed();
      this.#passOver(line.length - size.length);
      this.#left = Number.parseInt(size, 16);
      this.#awaits = this.#left === 0 ? "trailer" : "data";
    } else if (this.#awaits === "end of data") {
      if (line !== "") throw malformed();
      this.#awaits = "size";
    } else if (line === "") this.isComplete = true;
    else {
      if (!isHeaderName(line.slice(0, Math.max(0, line.indexOf(":")))) || !isHeaderValue(line)) throw malformed();
      this.#passOver(line.length);
    }
  }

  #passOver(count: number): void {
    this.#passedOver += count;
    if (this.#passedOver > mostPassedOver) throw malformed();
  }
}

function malformed(): MalformedRequest {
  return new MalformedRequest(400, "The chunks of the body aren't those of HTTP/1.1.");
}
