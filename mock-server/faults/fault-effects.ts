import { setTimeout as wait } from "node:timers/promises";
import { parseDuration } from "../duration.ts";
import { type Answer, isEventStream } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { headLines } from "../http/send.ts";
import { type FaultEffect, isWithoutContent } from "./fault-rule.ts";

/** Resets the client's connection, without an answer. */
function resetConnection({ connection }: Exchange): undefined {
  connection.reset();
}

/** The first piece of an event stream, which may never end; the rest is given up. */
async function firstPiece(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []);
}

/** The body of an answer: of an event stream the first piece. */
async function bytesOf(answer: Answer): Promise<Buffer> {
  const { body, json, content } = answer;
  if (json !== undefined) return Buffer.from(json);
  if (body !== undefined) return Buffer.from(JSON.stringify(body));
  if (content === undefined) return Buffer.alloc(0);
  if (!(content instanceof ReadableStream)) return Buffer.from(content);
  if (isEventStream(answer)) return firstPiece(content);
  return Buffer.from(await new Response(content).arrayBuffer());
}

/** The headers that say of what type the body is, also where they went without saying. */
function typedHeaders({ body, json, headers }: Answer): Answer["headers"] {
  return json === undefined && body === undefined ? headers : { "content-type": "application/json", ...headers };
}

/** Sends the head and half of the body of an answer, of an event stream half of its first piece, then breaks off. */
async function truncate({ connection }: Exchange, answer: Answer): Promise<undefined> {
  const body = await bytesOf(answer);
  const half = body.subarray(0, Math.floor(body.length / 2));
  const length = isEventStream(answer) ? undefined : body.length;
  await connection.breakOffAfter(answer.status, headLines(typedHeaders(answer)), half, length);
}

async function malform(answer: Answer): Promise<Answer> {
  const text = (await bytesOf(answer)).toString("utf8");
  if (text === "" && !isEventStream(answer)) return { status: answer.status, headers: answer.headers ?? {} };
  const content = isEventStream(answer) ? `${text}event: values\ndata: {"broken":\n\n` : `${text.slice(0, -1)},`;
  return { status: answer.status, headers: typedHeaders(answer) ?? {}, content };
}

/** Names of headers in lower case, as answers have them. */
function inLowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function answerInstead({ status, body, html, headers, rate_limit }: FaultEffect): Answer | undefined {
  if (rate_limit) {
    return { status: 429, body: { detail: "Rate limit exceeded." }, headers: { "retry-after": "1" } };
  }
  const own = inLowerCase(headers);
  if (html !== undefined) {
    return { status: status ?? 502, content: html, headers: { "content-type": "text/html; charset=utf-8", ...own } };
  }
  if (status === undefined) return undefined;
  if (isWithoutContent(status)) return { status, headers: own };
  return { status, body: body ?? { detail: "A fault that the mock server was told to show." }, headers: own };
}

/** Whether a request is handled in spite of `effect`. */
export function isHandled(effect: FaultEffect): boolean {
  return effect.reset !== "before" && !effect.rate_limit && effect.html === undefined && effect.status === undefined;
}

/** Lets `effect` happen to a request that `handle` would answer. `undefined`: the connection was broken off. */
export async function applyFault(
  exchange: Exchange,
  effect: FaultEffect,
  handle: () => Promise<Answer>,
): Promise<Answer | undefined> {
  if (effect.latency !== undefined) await wait(parseDuration(effect.latency), undefined, { ref: false });
  if (effect.reset === "before") return resetConnection(exchange);
  const instead = answerInstead(effect);
  if (instead) return instead;
  const answer = await handle();
  if (effect.reset === "after") return resetConnection(exchange);
  if (effect.truncate) return truncate(exchange, answer);
  return effect.malformed ? malform(answer) : answer;
}
