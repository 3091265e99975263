import { setTimeout as wait } from "node:timers/promises";
import { parseDuration } from "../../core/time.ts";
import { type Handler, type HttpResponse, isEventStream, serialized } from "../kit/http/http-response.ts";
import type { Middleware } from "../kit/http/middleware.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { type FaultEffect, isWithoutContent } from "./fault-rule.ts";
import type { FaultTable } from "./fault-table.ts";

/** Applies the first matching fault rule to a request. */
export function faultInjection(faults: FaultTable): Middleware {
  return (context, next) => {
    const { method, path, operation } = context;
    const effect = faults.isEmpty
      ? undefined
      : faults.take({ method, path, tenant: context.header("x-tenant-id"), operation: operation ?? undefined });
    return effect ? disturbed(context, effect, next) : next(context);
  };
}

async function disturbed(context: RequestContext, effect: FaultEffect, next: Handler): Promise<HttpResponse> {
  const instead = effect.reset === "before" ? reset : responseInstead(effect);
  if (instead) await readForJournal(context);
  if (effect.latency !== undefined) await wait(parseDuration(effect.latency, "latency"), undefined, { ref: false });
  if (instead) return instead;
  const response = serialized(await next(context));
  if (effect.reset === "after") {
    // Cancelled as if its reader had disconnected.
    if (response.content instanceof ReadableStream) void response.content.cancel().catch(() => undefined);
    return reset;
  }
  if (effect.truncate) return truncated(response);
  return effect.malformed ? malformed(response) : response;
}

/** Reads the body, so that the journal has it though no handler runs. */
async function readForJournal(context: RequestContext): Promise<void> {
  try {
    await context.readText();
  } catch {
    // The fault also applies to requests with an unreadable body.
  }
}

/** Resets the connection without a response. */
const reset: HttpResponse = { status: 0, disruption: { kind: "reset" } };

/** The first chunk of an event stream, which may never end; cancels the rest. */
async function firstPiece(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []);
}

/** The body of a response, or the first chunk of an event stream. */
async function bytesOf(response: HttpResponse): Promise<Buffer> {
  const { json, content } = response;
  if (json !== undefined) return Buffer.from(json);
  if (content === undefined) return Buffer.alloc(0);
  if (!(content instanceof ReadableStream)) return Buffer.from(content);
  if (isEventStream(response)) return firstPiece(content);
  return Buffer.from(await new Response(content).arrayBuffer());
}

/** The head of a response and half of its body, or half of the first chunk of an event stream. */
async function truncated(response: HttpResponse): Promise<HttpResponse> {
  const body = await bytesOf(response);
  const length = isEventStream(response) ? undefined : body.length;
  return {
    status: response.status,
    headers: response.headers ?? {},
    content: body.subarray(0, Math.floor(body.length / 2)),
    disruption: { kind: "truncated", length },
  };
}

async function malformed(response: HttpResponse): Promise<HttpResponse> {
  const text = (await bytesOf(response)).toString("utf8");
  if (text === "" && !isEventStream(response)) return { status: response.status, headers: response.headers ?? {} };
  const content = isEventStream(response) ? `${text}event: values\ndata: {"broken":\n\n` : `${text.slice(0, -1)},`;
  return { status: response.status, headers: response.headers ?? {}, content };
}

/** The headers with lower-case names, as in responses. */
function inLowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function responseInstead({ status, body, html, headers, rateLimit }: FaultEffect): HttpResponse | undefined {
  if (rateLimit) {
    return { status: 429, body: { detail: "Rate limit exceeded." }, headers: { "retry-after": "1" } };
  }
  const own = inLowerCase(headers);
  if (html !== undefined) {
    return { status: status ?? 502, content: html, headers: { "content-type": "text/html; charset=utf-8", ...own } };
  }
  if (status === undefined) return undefined;
  if (isWithoutContent(status)) return { status, headers: own };
  return { status, body: body ?? { detail: "A fault of the mock server." }, headers: own };
}
