import { setTimeout as wait } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { parseDuration } from "../duration.ts";
import type { MockRequest } from "../openapi/route.ts";
import type { FaultEffect } from "./fault-rule.ts";

/** Resets the client's connection, without an answer. */
function resetConnection(context: MockRequest): Response {
  const { outgoing } = context.env as unknown as HttpBindings;
  outgoing.socket?.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

const isEventStream = (response: Response) => response.headers.get("content-type")?.startsWith("text/event-stream");

/** The first piece of an event stream, which may never end; the rest is given up. */
async function firstPiece(response: Response): Promise<Buffer> {
  const reader = response.body?.getReader();
  const piece = await reader?.read();
  await reader?.cancel();
  return Buffer.from(piece?.value ?? []);
}

/** Sends the head and half of the body of `response`, of an event stream half of its first piece, then breaks off. */
async function truncate(context: MockRequest, response: Response): Promise<Response> {
  const { outgoing } = context.env as unknown as HttpBindings;
  const isStream = isEventStream(response);
  const body = isStream ? await firstPiece(response) : Buffer.from(await response.arrayBuffer());
  const length = isStream ? {} : { "content-length": body.length };
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...length });
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => outgoing.write(half, () => resolve()));
  outgoing.socket?.end();
  outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

function answerOf({ status, body, html, headers, rate_limit }: FaultEffect): Response | undefined {
  if (rate_limit) {
    return Response.json({ detail: "Rate limit exceeded." }, { status: 429, headers: { "retry-after": "1" } });
  }
  if (html !== undefined) {
    const all = { "content-type": "text/html; charset=utf-8", ...headers };
    return new Response(html, { status: status ?? 502, headers: all });
  }
  if (status === undefined) return undefined;
  if (status === 204 || status === 304) return new Response(null, { status, headers: headers ?? {} });
  return Response.json(body ?? { detail: "A fault that the mock server was told to show." }, {
    status,
    headers: headers ?? {},
  });
}

/** Whether a request is handled in spite of `effect`. */
export function isHandled(effect: FaultEffect): boolean {
  return effect.reset !== "before" && !effect.rate_limit && effect.html === undefined && effect.status === undefined;
}

/** Lets `effect` happen to a request that `handle` would answer. */
export async function applyFault(
  context: MockRequest,
  effect: FaultEffect,
  handle: () => Promise<Response>,
): Promise<Response> {
  if (effect.latency !== undefined) await wait(parseDuration(effect.latency));
  if (effect.reset === "before") return resetConnection(context);
  const answer = answerOf(effect);
  if (answer) return answer;
  const response = await handle();
  if (effect.reset === "after") return resetConnection(context);
  if (effect.truncate) return truncate(context, response);
  if (effect.malformed) {
    if (isEventStream(response)) {
      const text = `${(await firstPiece(response)).toString("utf8")}event: values\ndata: {"broken":\n\n`;
      const headers = new Headers(response.headers);
      headers.delete("transfer-encoding");
      return new Response(text, { status: response.status, headers });
    }
    const text = await response.text();
    return new Response(`${text.slice(0, -1)},`, { status: response.status, headers: response.headers });
  }
  return response;
}
