import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface ScriptedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; `undefined` without a body. */
  body: unknown;
  /** Counted from 1, over all requests. */
  nth: number;
}

/** JSON unless `body` is a string. */
export interface ScriptedResponse {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * How a server handles a request: with a response, with `reset` (it ends the connection without a response), or with
 * full control of the response.
 */
export type Script = (
  request: ScriptedRequest,
) => ScriptedResponse | "reset" | ((response: ServerResponse) => void) | Promise<ScriptedResponse>;

export interface ScriptedServer extends AsyncDisposable {
  url: string;
  requests: ScriptedRequest[];
  /** `<method> <path>` of each request. */
  calls(): string[];
}

/** A real HTTP server on loopback that responds as `script` says. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const url = new URL(incoming.url ?? "/", "http://loopback");
    const request: ScriptedRequest = {
      method: incoming.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: text === "" ? undefined : JSON.parse(text),
      nth: requests.length + 1,
    };
    requests.push(request);
    const result = await script(request);
    if (result === "reset") return incoming.socket.destroy();
    if (typeof result === "function") return result(response);
    const { status = 200, body, headers = {} } = result;
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    calls: () => requests.map(({ method, path }) => `${method} ${path}`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
