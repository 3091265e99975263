import { Socket } from "node:net";
import { type Handler, serialized } from "./http-response.ts";
import { nodeHttp } from "./node-http.ts";
import { RequestContext } from "./request-context.ts";

export interface InjectedRequest {
  /** @default "GET" */
  method?: string;
  /** Path and query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Text, bytes, or a value to send as JSON. */
  body?: unknown;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** A request that has come by no socket, with the length of its body; `target` is its path and query. */
export function requestWithoutSocket(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): RequestContext {
  const message = Object.assign(new nodeHttp.IncomingMessage(new Socket()), {
    method,
    url: target,
    httpVersion: "1.1",
  });
  const length = body.length === 0 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  Object.assign(message.headers, headers, length);
  message.rawHeaders = Object.entries(message.headers as Record<string, string>).flat();
  if (body.length > 0) message.push(body);
  message.push(null);
  return new RequestContext(message);
}

/** Passes a request to a handler without a socket. Rejects where the connection would be closed without a response. */
export async function inject(handle: Handler, request: InjectedRequest): Promise<Response> {
  const { method = "GET", path, headers = {}, body, signal } = request;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const sent = body === undefined ? "" : isRaw ? body : JSON.stringify(body);
  const context = requestWithoutSocket(method, path, { host: "localhost", ...headers }, sent);
  signal?.addEventListener("abort", () => context.abort(), { once: true });
  const { status, headers: given = {}, json, content, disruption } = serialized(await handle(context));
  if (disruption) throw new TypeError(`The connection was ${disruption.kind}.`);
  const lines = Object.entries(given).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const payload = (json ?? content ?? null) as ConstructorParameters<typeof Response>[0];
  return new Response(payload, { status, headers: lines as [string, string][] });
}
