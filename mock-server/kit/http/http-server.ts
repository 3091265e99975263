import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Handler } from "./http-response.ts";
import { nodeHttp } from "./node-http.ts";
import { allowedMethods, refusalOf } from "./refused-requests.ts";
import { RequestContext } from "./request-context.ts";
import { WebSockets } from "./web-sockets.ts";
import { writeResponse } from "./write-response.ts";

export interface HttpServerOptions {
  handle: Handler;
  /** Called with the defect when a request gets no response. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
  /** Called when a response is complete; with `status` `null` when the connection closes before. */
  onFinish?: (context: RequestContext, status: number | null) => void;
  /** Serves https instead of http. */
  certificate?: Certificate;
  timeouts?: Partial<Timeouts>;
}

/** A certificate and its private key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Time limits for clients, in milliseconds. */
export interface Timeouts {
  /** For sending the head of a request. @default 60000 */
  head: number;
  /** For sending a whole request. @default 300000 */
  request: number;
  /** Between two requests on a connection. @default 5000 */
  keepAlive: number;
  /** Without reading from a pending response. @default 300000 */
  response: number;
  /** Interval of the checks of `head` and `request`. @default 1000 */
  checkInterval: number;
}

const defaultTimeouts: Timeouts = {
  head: 60_000,
  request: 300_000,
  keepAlive: 5_000,
  response: 300_000,
  checkInterval: 1_000,
};

/** Time that the client of a refused request may continue sending before its connection is closed, in milliseconds. */
const maxLingerMs = 500;

/** The latest request of a connection, while its response isn't complete. */
interface Pending {
  message: IncomingMessage;
  outgoing: ServerResponse;
  finished: Promise<void>;
}

/**
 * Serves a handler over HTTP/1.1 and WebSockets, with `node:http`. Handles the requests of a connection sequentially,
 * even when pipelined.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #handle: Handler;
  readonly #timeouts: Timeouts;
  readonly #server: Server;
  readonly #webSockets: WebSockets;
  readonly #onDefect: (error: unknown) => void;
  readonly #pending = new WeakMap<Socket, Pending>();
  /** Responses that go on until the client leaves. */
  readonly #endless = new Set<ServerResponse>();

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#handle = (context) => refusalOf(context) ?? options.handle(context);
    this.#onDefect = options.onDefect ?? console.error;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    const settings = {
      noDelay: true,
      maxHeaderSize: maxHeadBytes,
      headersTimeout: this.#timeouts.head,
      requestTimeout: this.#timeouts.request,
      keepAliveTimeout: this.#timeouts.keepAlive,
      connectionsCheckingInterval: this.#timeouts.checkInterval,
    };
    const { certificate } = options;
    this.#server = certificate
      ? process.getBuiltinModule("node:https").createServer({ ...settings, ...certificate })
      : nodeHttp.createServer(settings);
    this.#server.on("request", (message, outgoing) => this.#serve(message, outgoing));
    this.#server.on("checkContinue", (message, outgoing) => this.#serve(message, outgoing, true));
    this.#server.on("clientError", (error, socket) => void this.#refuse(error, socket as Socket));
    this.#server.on("connect", (_, socket) => this.#refuseConnect(socket as Socket));
    this.#webSockets = new WebSockets(this.#server, this.#handle, this.#onDefect, (socket) => {
      const before = this.#pending.get(socket)?.finished;
      this.#pending.delete(socket);
      return before;
    });
  }

  /**
   * Listens and returns the server's URL, with loopback instead of a wildcard address.
   * @throws a system error, for example `EADDRINUSE`.
   */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    const bound = (this.#server.address() as AddressInfo).port;
    const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
    return `${this.#options.certificate ? "https" : "http"}://${name}:${bound}`;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  /**
   * Stops listening, waits up to `gracePeriodMs` (default 0) for responses in progress that have an end, and closes all
   * connections.
   */
  async close(gracePeriodMs = 0): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const closeAll = () => {
      this.#server.closeAllConnections();
      this.#webSockets.close();
    };
    if (gracePeriodMs === 0) closeAll();
    this.#webSockets.goAway();
    for (const outgoing of this.#endless) outgoing.destroy();
    const timer = setTimeout(closeAll, gracePeriodMs);
    await closed;
    clearTimeout(timer);
  }

  #serve(message: IncomingMessage, outgoing: ServerResponse, isHeldBack = false): void {
    const { socket } = message;
    const context = new RequestContext(message);
    const before = this.#pending.get(socket)?.finished;
    const finished = new Promise<void>((resolve) => {
      outgoing.once("close", () => {
        const isComplete = outgoing.writableFinished;
        if (!isComplete) context.abort();
        context.discardBody();
        if (this.#pending.get(socket)?.outgoing === outgoing) this.#pending.delete(socket);
        this.#options.onFinish?.(context, isComplete ? outgoing.statusCode : null);
        resolve();
        // The client keeps the connection open for another request, which a closing server doesn't wait for.
        if (!this.isListening) setImmediate(() => this.#server.closeIdleConnections());
      });
    });
    this.#pending.set(socket, { message, outgoing, finished });
    if (isHeldBack) {
      // A client with an unread `Expect: 100-continue` may send its body or not, so the next bytes are ambiguous.
      outgoing.shouldKeepAlive = false;
      context.requestBody = () => {
        if (outgoing.headersSent) return;
        outgoing.shouldKeepAlive = true;
        outgoing.writeContinue();
      };
    }
    this.#respond(context, outgoing, before).catch((error: unknown) => {
      this.#onDefect(error);
      socket.destroy();
    });
  }

  async #respond(context: RequestContext, outgoing: ServerResponse, before: Promise<void> | undefined): Promise<void> {
    const { socket } = outgoing.req;
    if (before) {
      // Pauses reading while received requests wait. The parser resumes it at the end of each message.
      const pausing = setImmediate(() => socket.pause());
      await before;
      clearImmediate(pausing);
      if (this.#pending.get(socket)?.outgoing === outgoing) socket.resume();
      // Requests behind one that ended the connection aren't handled.
      if (!socket.writable) return;
    }
    const response = await this.#handle(context);
    if (socket.destroyed) {
      if (response.content instanceof ReadableStream) void response.content.cancel().catch(() => undefined);
      return;
    }
    if (response.isEndless) {
      this.#endless.add(outgoing);
      outgoing.once("close", () => this.#endless.delete(outgoing));
    }
    const writing = writeResponse(outgoing, response);
    // A client that took the whole response at once can't be too slow.
    if (!outgoing.writableEnded || socket.writableLength > 0) {
      outgoing.setTimeout(this.#timeouts.response, () => socket.destroy());
    }
    await writing;
  }

  /** Refuses a CONNECT, for which Node.js hands over the bare connection. */
  #refuseConnect(socket: Socket): void {
    socket.on("error", () => undefined);
    endWith(socket, "405 Method Not Allowed", "Method Not Allowed", `\r\nallow: ${allowedMethods}`);
  }

  /** Responds to an invalid or late request, and closes the connection. */
  async #refuse(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const pending = this.#pending.get(socket);
    // Invalid bytes after a complete request are refused after its response.
    if (pending?.message.complete) await pending.finished;
    if (!socket.writable || (pending?.outgoing.headersSent === true && !pending.message.complete)) {
      socket.destroy();
      return;
    }
    const [status, detail] = refusals[error.code ?? ""] ?? ["400 Bad Request", "This isn't an HTTP/1.1 request."];
    endWith(socket, status, detail);
  }
}

/** Writes a response and closes the connection. */
function endWith(socket: Socket, status: string, detail: string, headers = ""): void {
  const body = JSON.stringify({ detail });
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${headers}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
  // A client that is still sending would miss the response if the connection closed at once.
  setTimeout(() => socket.destroy(), maxLingerMs).unref();
}

/** Maximum size of the head of a request: Node.js's default. */
const maxHeadBytes = 16 * 1024;

const refusals: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `The head of the request is larger than ${maxHeadBytes} bytes.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request didn't arrive in time."],
};
