import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocketServer } from "ws";
import type { Handler } from "./http-response.ts";
import { nodeHttp } from "./node-http.ts";
import { RequestContext } from "./request-context.ts";
import { writeResponse } from "./write-response.ts";

/** Maximum size of a message from a client, in bytes: 16 MiB, as for request bodies. */
const maxPayload = 16 * 1024 * 1024;

/** The close code of a server that goes down (RFC 6455, section 7.4.1). */
const goingAway = 1001;

/** Passes WebSocket requests to the handler of all requests, which accepts them or responds. */
export class WebSockets {
  readonly #server: Server;
  readonly #handle: Handler;
  readonly #connections = new Set<Duplex>();
  #sockets: Promise<WebSocketServer> | undefined;

  /** `takeOver` takes a connection from the server and resolves when its pending response, if any, is complete. */
  constructor(
    server: Server,
    handle: Handler,
    onDefect: (error: unknown) => void,
    takeOver: (socket: Socket) => Promise<void> | undefined,
  ) {
    this.#server = server;
    this.#handle = handle;
    server.on("upgrade", (message, socket, head) => {
      if (!this.#connections.has(socket)) {
        this.#connections.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => this.#connections.delete(socket));
      }
      this.#serve(message, socket, head, takeOver(message.socket)).catch((error: unknown) => {
        onDefect(error);
        socket.destroy();
      });
    });
  }

  /** Tells all clients that the server is closing. */
  goAway(): void {
    void this.#sockets?.then(({ clients }) => {
      for (const client of clients) client.close(goingAway, "The server is closing");
    });
  }

  /** Terminates all connections. */
  close(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  async #serve(
    message: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    before: Promise<void> | undefined,
  ): Promise<void> {
    if (before) {
      await before;
      // Requests behind one that ended the connection aren't handled.
      if (!socket.writable) return;
      // The previous response started the keep-alive timeout.
      message.socket.setTimeout(0);
    }
    if (message.headers.upgrade?.toLowerCase() === "websocket") await this.#upgrade(message, socket, head);
    else this.#passOn(message, socket, head);
  }

  async #upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const response = await this.#handle(new RequestContext(message));
    if (response.accept) {
      const { accept } = response;
      this.#sockets ??= import("ws").then((ws) => new ws.WebSocketServer({ noServer: true, maxPayload }));
      (await this.#sockets).handleUpgrade(message, socket, head, (accepted) => {
        accepted.on("error", () => undefined);
        accept(accepted);
        // Waiting requests may have paused the socket.
        socket.resume();
      });
      return;
    }
    const outgoing = new nodeHttp.ServerResponse(message);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(message.socket);
    outgoing.once("finish", () => message.socket.destroySoon());
    await writeResponse(outgoing, response);
  }

  /**
   * Ignores other upgrades, such as that to HTTP/2, which Java's client requests by default: parses the request again
   * without its upgrade headers.
   */
  #passOn({ method, url, httpVersion, rawHeaders, socket }: IncomingMessage, duplex: Duplex, head: Buffer): void {
    let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] as string;
      if (!/^(upgrade|connection|http2-settings)$/i.test(name)) text += `${name}: ${rawHeaders[index + 1]}\r\n`;
    }
    duplex.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
    this.#server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
    socket.resume();
  }
}
