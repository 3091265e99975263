import type { Calls } from "../calls.ts";
import type { ServerMethods, WorkerMethods } from "../protocol.ts";
import { readFromOtherSide } from "../response-bodies.ts";
import { currentCaller } from "./caller.ts";

/** The address of the worker's own server. Requests to it use the worker's channel instead of a socket. */
const ownUrl = "http://agent-server.localhost";

const isBodiless = (status: number) => status === 204 || status === 205 || status === 304;

/** Lets the official client without an address reach the worker's own server, with the rights of the current caller. */
export function provideOwnServer(calls: Calls<WorkerMethods, ServerMethods>): void {
  const fetchOther = globalThis.fetch;
  const fetchOwn = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const request = new Request(...args);
    const url = new URL(request.url);
    if (url.origin !== ownUrl) return fetchOther(request);
    const caller = currentCaller.getStore();
    if (caller?.kind === "auth handler") throw new TypeError("An auth handler can't call the server that it guards.");
    const { status, headers, body } = await calls.call(
      "fetchServer",
      {
        user: caller?.user ?? null,
        request: {
          method: request.method,
          url: url.pathname + url.search,
          headers: [["host", url.host], ...request.headers],
          body: request.body && new Uint8Array(await request.arrayBuffer()),
        },
      },
      request.signal,
    );
    if (body === null || isBodiless(status)) return new Response(null, { status, headers });
    request.signal.addEventListener("abort", () => calls.notify("cancelServerBody", body), { once: true });
    const content = readFromOtherSide({
      read: () => calls.call("readServerBody", body, request.signal),
      cancel: () => calls.call("cancelServerBody", body),
    });
    return new Response(content, { status, headers });
  };
  const fetchAny: typeof fetch = (...args) => (isOwn(args[0]) ? fetchOwn(...args) : fetchOther(...args));
  Object.assign(globalThis, {
    fetch: fetchAny,
    WebSocket: withoutOwnServer(WebSocket),
    [Symbol.for("langgraph_api:fetch")]: fetchOwn,
    [Symbol.for("langgraph_api:url")]: ownUrl,
  });
}

/** Whether a URL, http or ws, is that of the worker's own server. */
function isOwn(address: string | URL | Request): boolean {
  const url = URL.parse(address instanceof Request ? address.url : String(address));
  return url?.host === new URL(ownUrl).host;
}

/** A WebSocket class that refuses the worker's own server at once, since nothing listens at its address. */
function withoutOwnServer(Class: typeof WebSocket): typeof WebSocket {
  return new Proxy(Class, {
    construct(target, args: ConstructorParameters<typeof WebSocket>, newTarget) {
      if (!isOwn(args[0])) return Reflect.construct(target, args, newTarget);
      throw new TypeError(
        "Code of a project can't open a WebSocket to the server that runs it: use fetch, or the client's streams over HTTP.",
      );
    },
  });
}
