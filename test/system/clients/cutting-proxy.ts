import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Forwards everything to a server, and breaks the connection once for each request whose response says where to resume:
 * a stream after three events, another response after its head.
 */
export interface CuttingProxy extends AsyncDisposable {
  url: string;
  /** `<method> <path>` of the requests that were cut, and of those that resumed elsewhere. */
  readonly cut: string[];
  readonly resumed: string[];
}

/** @param target the base URL of the server behind the proxy */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const cut: string[] = [];
  const resumed: string[] = [];
  const locations = new Set<string>();

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? "/").replace(/\?.*$/, "");
    const outgoing = request(new URL(incoming.url ?? "/", target), {
      method: incoming.method ?? "GET",
      headers: incoming.headers,
    });
    incoming.pipe(outgoing);
    const [forwarded] = (await once(outgoing, "response")) as [IncomingMessage];
    response.writeHead(forwarded.statusCode ?? 0, forwarded.rawHeaders);
    response.flushHeaders();
    const { location } = forwarded.headers;
    // Locations are relative to the agent server's mount path.
    const isResumed = [...locations].some((known) => path.endsWith(known));
    if (isResumed) resumed.push(`${incoming.method} ${path}`);
    if (isResumed || location === undefined) {
      forwarded.pipe(response);
      return;
    }
    locations.add(location);
    cut.push(`${incoming.method} ${path}`);
    if (forwarded.headers["content-type"]?.startsWith("text/event-stream")) await forwardEvents(forwarded, response, 3);
    incoming.socket.destroySoon();
    outgoing.destroy();
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    resumed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Forwards the first events of a stream. */
async function forwardEvents(forwarded: IncomingMessage, response: ServerResponse, count: number): Promise<void> {
  let left = count;
  let text = "";
  for await (const piece of forwarded.iterator({ destroyOnReturn: false })) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end >= 0 && left > 0; end = text.indexOf("\n\n")) {
      response.write(text.slice(0, end + 2));
      text = text.slice(end + 2);
      left--;
    }
    if (left === 0) return;
  }
}
