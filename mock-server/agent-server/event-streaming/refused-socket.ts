import { HttpError } from "../../kit/http/http-error.ts";
import type { HttpResponse } from "../../kit/http/http-response.ts";
import type { RequestContext } from "../../kit/http/request-context.ts";

/** Maximum length of the reason of a close, in bytes (RFC 6455, section 5.5). */
const maxReasonBytes = 123;

/** Whether a request opens a WebSocket (RFC 6455, section 4.1). */
export function isWebSocket(context: Pick<RequestContext, "method" | "header">): boolean {
  const isUpgrade = /(^|,)\s*upgrade\s*(,|$)/i.test(context.header("connection") ?? "");
  return isUpgrade && context.method === "GET" && context.header("upgrade")?.toLowerCase() === "websocket";
}

/** Whether a request opens a WebSocket for events. */
export function opensEventSocket(path: string, context: Pick<RequestContext, "method" | "header">): boolean {
  return isWebSocket(context) && /\/threads\/[^/]+\/stream\/events$/.test(path);
}

/**
 * Responds to a request. A refused WebSocket for events is accepted and closed with the code 4000 and the status:
 * browsers don't tell pages the status of a refused handshake, and clients reconnect unless they know that it is of no
 * use.
 */
export async function refusingSockets(
  path: string,
  context: RequestContext,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (!opensEventSocket(path, context)) return respond();
  const response = await respond().catch((error: unknown) => {
    if (!(error instanceof HttpError)) throw error;
    return { status: error.status, body: { detail: error.message } };
  });
  if (response.status < 400) return response;
  const { detail } = (response.body ?? {}) as { detail?: unknown };
  const reason = typeof detail === "string" ? detail : "";
  return { status: 101, accept: (socket) => socket.close(4000 + response.status, shortened(reason)) };
}

/** As much of a text as fits, without half a character at its end. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxReasonBytes) return text;
  return bytes
    .subarray(0, maxReasonBytes)
    .toString()
    .replace(/\uFFFD$/, "");
}
