import type { Readable } from "node:stream";
import type { AgentLogLevel } from "../../kit/agent-log.ts";

/** A line that code in a worker printed or logged. */
export interface LogLine {
  stream: "stdout" | "stderr";
  text: string;
  /** The level of a logged line; absent for a printed one. */
  level?: AgentLogLevel;
}

/** Maximum length of a line, in bytes; longer lines are cut. */
const maxLineBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Reads printed output line by line, and buffers no more than the maximum length. */
export function readPrintedLines(printed: Readable, stream: LogLine["stream"], onLog: (line: LogLine) => void): void {
  let line: Buffer[] = [];
  let size = 0;
  const append = (piece: Buffer) => {
    const kept = piece.subarray(0, maxLineBytes - size);
    if (kept.length > 0) line.push(kept);
    size += kept.length;
  };
  const end = () => {
    onLog({ stream, text: Buffer.concat(line).toString().replace(/\r$/, "") });
    line = [];
    size = 0;
  };
  printed.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let index = chunk.indexOf(lineFeed); index >= 0; index = chunk.indexOf(lineFeed, start)) {
      append(chunk.subarray(start, index));
      end();
      start = index + 1;
    }
    append(chunk.subarray(start));
  });
  printed.on("end", () => {
    if (size > 0) end();
  });
}
