import type { Readable } from "node:stream";
import type { AgentLogLevel } from "../../kit/agent-log.ts";

/** What code in a worker has printed, line by line, or logged. */
export interface LogLine {
  stream: "stdout" | "stderr";
  text: string;
  /** Of what is logged rather than printed. */
  level?: AgentLogLevel;
}

/** The beginning of a longer line is logged. */
const maxLineBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Passes on what is printed, line by line, and keeps no more of a line than is passed on. */
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
