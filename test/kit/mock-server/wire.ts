import { connect, type Socket } from "node:net";
import { HttpServer, type HttpServerOptions } from "../../../mock-server/kit/http/http-server.ts";

/**
 * Everything that a server at `url` sends until it closes the connection. Each of `pieces` is written once the one
 * before has been sent.
 */
export function conversation(url: string, ...pieces: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connectTo(url);
    socket.setEncoding("latin1");
    const next = (index: number) => {
      const piece = pieces[index];
      if (piece === undefined || socket.destroyed) return;
      const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
      socket.write(bytes, () => setImmediate(() => next(index + 1)));
    };
    socket.on("connect", () => next(0));
    socket.on("data", (more) => {
      text += more;
    });
    socket.on("close", () => resolve(text));
  });
}

/** A connection whose errors are ignored. */
export function connectTo(url: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", noDelay: true });
  return socket.on("error", () => undefined);
}

/** Starts a server for one test. */
export async function startHttp(options: HttpServerOptions): Promise<{ url: string } & AsyncDisposable> {
  const server = new HttpServer(options);
  const url = await server.listen(0, "127.0.0.1");
  return { url, [Symbol.asyncDispose]: () => server.close() };
}
