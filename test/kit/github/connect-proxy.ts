import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A proxy that opens tunnels to fictitious host names, each to a port of this machine. */
export class ConnectProxy implements AsyncDisposable {
  /** The `host:port` of each requested tunnel. */
  readonly tunnels: string[] = [];
  readonly #server: Server;
  url = "";

  private constructor(ports: Readonly<Record<string, number>>) {
    this.#server = createServer((_, response) => response.writeHead(405).end());
    this.#server.on("connect", (request, client) => {
      const target = request.url ?? "";
      this.tunnels.push(target);
      const port = ports[target];
      if (port === undefined) {
        client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      const server = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        server.pipe(client).pipe(server);
      });
      server.on("error", () => client.destroy());
      client.on("error", () => server.destroy());
    });
  }

  static async start(ports: Readonly<Record<string, number>>): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(ports);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.url = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
