import { setTimeout as wait } from "node:timers/promises";
import { parseDuration } from "../../core/duration.ts";
import { type Handler, type HttpResponse, isEventStream, serialized } from "../kit/http/http-response.ts";
import type { Middleware } from "../kit/http/middleware.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { type FaultEffect, isWithoutContent } from "./fault-rule.ts";
import type { FaultTable } from "./fault-table.ts";

/** Lets the faults happen that the rules have for a request. */
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
    // As when its reader disconnects.
    if (response.content instanceof ReadableStream) void response.content.cancel().catch(() => undefined);
    return reset;
  }
  if (effect.truncate) return truncated(response);
  return effect.malformed ? malformed(response) : response;
}

/** Handlers read bodies themselves, each within its own limit. */
async function readForJournal(context: RequestContext): Promise<void> {
  try {
    await context.readText();
  } catch {
    // The fault happens to a body that can't be read all the same.
  }
}

/** The connection is reset, without a response. */
const reset: HttpResponse = { status: 0, disruption: { kind: "reset" } };

/** The first piece of an event stream, which may never end; the rest is given up. */
async function firstPiece(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []);
}

/** The body of a response: of an event stream the first piece. */
async function bytesOf(response: HttpResponse): Promise<Buffer> {
  const { json, content } = response;
  if (json !== undefined) return Buffer.from(json);
  if (content === undefined) return Buffer.alloc(0);
  if (!(content instanceof ReadableStream)) return Buffer.from(content);
  if (isEventStream(response)) return firstPiece(content);
  return Buffer.from(await new Response(content).arrayBuffer());
}

/** The head and half of the body of a response, of an event stream half of its first piece. */
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

/** Names of headers in lower case, as responses have them. */
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
  return { status, body: body ?? { detail: "A fault that the mock server was told to show." }, headers: own };
}
