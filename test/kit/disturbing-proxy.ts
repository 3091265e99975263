import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/**
 * When the connection breaks: before the server handles the request, after that but before the response, or in the
 * middle of the response.
 */
export type Moment = "before" | "after" | "during";

/** A failure that happens once, at the `nth` request from now. */
export interface Disturbance {
  /** Counted from 1. */
  nth: number;
  moment: Moment;
  /** Called at that moment, right before the connection breaks. */
  meanwhile?: () => Promise<unknown>;
}

/**
 * Forwards everything to a server, and breaks single connections at an exact point, as when the network, the server or
 * the client itself fails there.
 */
export interface DisturbingProxy extends AsyncDisposable {
  readonly url: string;
  /** `<method> <path without query>` of each request since the last `disturb` or `reset`. */
  readonly steps: readonly string[];
  /** Whether the disturbance has happened. */
  readonly happened: boolean;
  disturb(disturbance: Disturbance): void;
  /** Stops disturbing, and clears the steps. */
  reset(): void;
  /** Refuses new connections and breaks open ones while `run` runs. */
  outage(run: () => Promise<unknown>): Promise<void>;
}

interface ForwardedResponse {
  status: number;
  headers: readonly string[];
  body: Buffer;
}

async function forward(incoming: IncomingMessage, body: Buffer, target: string): Promise<ForwardedResponse> {
  const headers = { ...incoming.headers, connection: "close" };
  const outgoing = request(new URL(incoming.url ?? "/", target), { method: incoming.method ?? "GET", headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.rawHeaders, body: await bytesOf(response) };
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The first half of a response with a JSON body; of a response without a body, part of its first line. */
function cutOff({ status, body }: ForwardedResponse): Buffer {
  if (body.length === 0) return Buffer.from("HTTP/1.1 ");
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body.subarray(0, body.length / 2)]);
}

/** @param target the base URL of the server behind the proxy */
export async function startDisturbingProxy(target: string): Promise<DisturbingProxy> {
  const sockets = new Set<Socket>();
  let steps: string[] = [];
  let next: Disturbance | undefined;
  let happened = false;

  const server: Server = createServer(async (incoming, response) => {
    const body = await bytesOf(incoming);
    steps.push(`${incoming.method} ${(incoming.url ?? "").replace(/\?.*$/, "")}`);
    const mine = next?.nth === steps.length ? next : undefined;
    if (mine !== undefined) {
      next = undefined;
      happened = true;
    }
    if (mine?.moment === "before") {
      await mine.meanwhile?.();
      return incoming.socket.resetAndDestroy();
    }
    const forwarded = await forward(incoming, body, target).catch(() => undefined);
    if (forwarded === undefined) return incoming.socket.resetAndDestroy();
    if (mine === undefined) {
      response.writeHead(forwarded.status, [...forwarded.headers]);
      return response.end(forwarded.body);
    }
    if (mine.moment === "during") await new Promise((written) => incoming.socket.write(cutOff(forwarded), written));
    await mine.meanwhile?.();
    return mine.moment === "during" ? incoming.socket.destroySoon() : incoming.socket.resetAndDestroy();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  const reset = () => {
    steps = [];
    next = undefined;
    happened = false;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get steps() {
      return steps;
    },
    get happened() {
      return happened;
    },
    disturb(disturbance) {
      reset();
      next = disturbance;
    },
    reset,
    async outage(run) {
      await close();
      await run();
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    [Symbol.asyncDispose]: close,
  };
}
