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

/** Passes a request to a handler without a socket. Rejects where the connection would be closed without a response. */
export async function inject(handle: Handler, request: InjectedRequest): Promise<Response> {
  const { method = "GET", path, headers = {}, body, signal } = request;
  const message = Object.assign(new nodeHttp.IncomingMessage(new Socket()), { method, url: path, httpVersion: "1.1" });
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const sent = body === undefined ? "" : isRaw ? body : JSON.stringify(body);
  message.rawHeaders = Object.entries({ host: "localhost", ...headers }).flat();
  for (const [name, value] of Object.entries({ host: "localhost", ...headers })) message.headers[name] = value;
  if (sent.length > 0) message.push(sent);
  message.push(null);
  const context = new RequestContext(message);
  signal?.addEventListener("abort", () => context.abort(), { once: true });
  const { status, headers: given = {}, json, content, disruption } = serialized(await handle(context));
  if (disruption) throw new TypeError(`The connection was ${disruption.kind}.`);
  const lines = Object.entries(given).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const payload = (json ?? content ?? null) as ConstructorParameters<typeof Response>[0];
  return new Response(payload, { status, headers: lines as [string, string][] });
}
