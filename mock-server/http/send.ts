import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";
import { drain } from "./body.ts";
import type { Exchange } from "./exchange.ts";

/** What was written for an answer. */
export interface Sent {
  /** Names and values in turn. */
  headers: readonly string[];
  /** The body, where it is JSON. */
  json: string | null;
}

/** Headers that only the one who writes an answer can know. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "x-request-id"]);

/** Writes an answer, with the exchange's request id if it has one. A stream is written as its reader keeps up, and cancelled when the client hangs up. */
export function send(exchange: Exchange, answer: Answer): Sent {
  const { outgoing } = exchange;
  const json = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  const content = json ?? answer.content;
  const headers = headLines(answer.headers);
  if (json !== undefined && answer.headers?.["content-type"] === undefined) {
    headers.push("content-type", "application/json");
  }
  if (exchange.requestId !== "") headers.push("x-request-id", exchange.requestId);
  if (content instanceof ReadableStream) {
    outgoing.writeHead(answer.status, headers);
    if (exchange.method === "HEAD") void content.cancel().then(() => outgoing.end());
    else void pipe(content, outgoing);
  } else {
    if (content !== undefined) headers.push("content-length", String(lengthOf(content)));
    else if (answer.status !== 204 && answer.status !== 304) headers.push("content-length", "0");
    outgoing.writeHead(answer.status, headers);
    if (answer.headers?.connection === "close" && !exchange.incoming.complete) void endLater(exchange, content);
    else outgoing.end(content);
  }
  return { headers, json: json ?? null };
}

/** Headers as names and values in turn, without those that only the one who writes them can know. */
export function headLines(headers: Answer["headers"]): string[] {
  const lines: string[] = [];
  for (const name in headers) {
    if (framing.has(name)) continue;
    const value = headers[name] as string | readonly string[];
    if (typeof value === "string") lines.push(name, value);
    else for (const one of value) lines.push(name, one);
  }
  return lines;
}

function lengthOf(content: string | Uint8Array): number {
  return typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
}

async function endLater({ incoming, outgoing }: Exchange, content: string | Uint8Array | undefined): Promise<void> {
  if (content !== undefined) outgoing.write(content);
  await drain(incoming);
  outgoing.end();
}

async function pipe(stream: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) return cancel();
  outgoing.once("close", cancel);
  // The client learns that the stream has begun before there is anything in it.
  outgoing.flushHeaders();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await drained(outgoing);
      if (outgoing.destroyed) return;
    }
    outgoing.end();
  } catch {
    // What is broken off can't be told from what is complete in any other way.
    outgoing.destroy();
  } finally {
    outgoing.off("close", cancel);
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      outgoing.off("drain", finish);
      outgoing.off("close", finish);
      resolve();
    };
    outgoing.on("drain", finish);
    outgoing.on("close", finish);
  });
}
