import { connect } from "node:net";

/** The full text of one request. */
export type RequestText = (number: number) => string;

/** The result of a load. */
export interface LoadResult {
  requests: number;
  /** Responses other than 2xx. */
  failures: number;
  seconds: number;
  /** Times of one request, in microseconds. */
  medianMicroseconds: number;
  p95Microseconds: number;
}

/** The text of a request, with the headers that all measured servers need. */
export function requestText(method: string, path: string, host: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: bench\r\naccept: application/json\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Sends requests over `connections` connections, each request after the previous response on its connection, until the
 * time in milliseconds is over or `maxRequests` have been sent. Uses plain sockets to avoid measuring a client.
 */
export async function load(
  port: number,
  connections: number,
  text: RequestText,
  milliseconds: number,
  maxRequests = Number.POSITIVE_INFINITY,
): Promise<LoadResult> {
  const times: number[] = [];
  let failures = 0;
  let sent = 0;
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, () => runConnection()));
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  const microseconds = (part: number) => 1000 * (times[Math.floor(times.length * part)] ?? Number.NaN);
  return {
    requests: times.length,
    failures,
    seconds,
    medianMicroseconds: microseconds(0.5),
    p95Microseconds: microseconds(0.95),
  };

  function runConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let received = "";
      let began = 0;
      const next = () => {
        if (performance.now() - start >= milliseconds || sent >= maxRequests) return socket.end();
        began = performance.now();
        socket.write(text(sent++));
      };
      socket.setEncoding("latin1");
      socket.on("connect", next);
      socket.on("data", (piece) => {
        received += piece;
        const length = responseLength(received);
        if (length === undefined || received.length < length) return;
        times.push(performance.now() - began);
        if (received.charCodeAt("HTTP/1.1 ".length) !== 50) failures++;
        received = received.slice(length);
        next();
      });
      socket.on("error", reject);
      socket.on("close", () => resolve());
    });
  }
}

/** The length of the response at the start of `text`, head and body; `undefined` while it is incomplete. */
function responseLength(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd).toLowerCase();
  const declared = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (declared !== undefined) return headEnd + 4 + Number(declared);
  if (!head.includes("\r\ntransfer-encoding: chunked")) return headEnd + 4;
  const last = text.indexOf("\r\n0\r\n\r\n", headEnd + 2);
  return last < 0 ? undefined : last + "\r\n0\r\n\r\n".length;
}
