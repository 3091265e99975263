import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { keptSeconds } from "./answer-head.ts";
import { Connection, type ConnectionOwner, type Patience } from "./connection.ts";
import type { Exchange } from "./exchange.ts";

export interface HttpServerOptions {
  /** Called for each request, in turn on each connection. */
  serve(exchange: Exchange): void;
  /** Called when a request has its answer, or its client has hung up. */
  onEnd?(exchange: Exchange): void;
  /** How long a client may take, in ticks. @default 60 for a head, 300 for a body, 6 between two requests, 300 for an answer */
  patience?: Patience;
  /** In milliseconds. @default 1000 */
  tickLength?: number;
}

const usualPatience: Patience = { head: 60, body: 300, next: keptSeconds + 1, answer: 300 };

/** A server of HTTP/1.1 and HTTP/1.0. */
export class HttpServer implements ConnectionOwner {
  tick = 0;
  readonly patience: Patience;
  readonly serve: (exchange: Exchange) => void;
  readonly onEnd: (exchange: Exchange) => void;
  readonly #tickLength: number;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #ticks: NodeJS.Timeout | undefined;

  constructor({ serve, onEnd = () => undefined, patience = usualPatience, tickLength = 1000 }: HttpServerOptions) {
    this.serve = serve;
    this.onEnd = onEnd;
    this.patience = patience;
    this.#tickLength = tickLength;
    this.#server = createServer({ noDelay: true }, (socket) => this.#connect(socket));
  }

  /** Listens and returns the server's URL, in which a wildcard address reads as loopback. @throws a system error, for example when the port is in use. */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#ticks = setInterval(() => this.#advance(), this.#tickLength).unref();
    const bound = (this.#server.address() as AddressInfo).port;
    const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
    return `http://${name}:${bound}`;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  /** Stops listening and closes all connections. */
  async close(): Promise<void> {
    clearInterval(this.#ticks);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  #connect(socket: Socket): void {
    const connection = new Connection(socket, this);
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }

  #advance(): void {
    this.tick++;
    for (const connection of this.#connections) if (connection.deadline < this.tick) connection.expire();
  }
}
