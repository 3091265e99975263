import type { Answer } from "./answer.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { Exchange } from "./exchange.ts";
import { isBodiless } from "./message-grammar.ts";

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
  const { connection } = exchange;
  const json = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  const content = json ?? answer.content;
  const headers = headLines(answer.headers);
  if (json !== undefined && answer.headers?.["content-type"] === undefined) {
    headers.push("content-type", "application/json");
  }
  if (exchange.requestId !== "") headers.push("x-request-id", exchange.requestId);
  const hasNoBody = isBodiless(answer.status);
  if (content instanceof ReadableStream) {
    if (exchange.method === "HEAD" || hasNoBody) {
      void content.cancel().catch(() => undefined);
      connection.answer(answer.status, headers, undefined, 0);
    } else void pipe(content, exchange, streamFor(content, exchange, answer.status, headers));
  } else {
    const length = content === undefined ? 0 : lengthOf(content);
    if (!hasNoBody) headers.push("content-length", String(length));
    connection.answer(answer.status, headers, hasNoBody ? undefined : content, length);
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

/** Begins an answer; where it can't be begun, nobody wants its content. */
function streamFor(
  content: ReadableStream<Uint8Array>,
  { connection }: Exchange,
  status: number,
  headers: readonly string[],
): AnswerStream {
  try {
    return connection.stream(status, headers);
  } catch (error) {
    void content.cancel().catch(() => undefined);
    throw error;
  }
}

async function pipe(content: ReadableStream<Uint8Array>, exchange: Exchange, stream: AnswerStream): Promise<void> {
  const reader = content.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const stay = exchange.whenGone(cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A stream that is always ready leaves no room for the news that its client is gone.
      if (exchange.isGone || stream.isGone) return cancel();
      if (done) break;
      if (!stream.write(value)) await stream.drained();
    }
    stream.end();
  } catch {
    cancel();
    stream.breakOff();
  } finally {
    stay();
  }
}
