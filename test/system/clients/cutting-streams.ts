import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Forwards connections to a server, and breaks those that carry events. */
export interface StreamCutter extends AsyncDisposable {
  url: string;
  /** The number of connections that were cut. */
  readonly cuts: number;
}

/**
 * Breaks the first `times` connections that carry events of the streaming protocol, each in the middle of an event, after
 * `events` of them.
 */
export async function startStreamCutter(target: string, times: number, events: number): Promise<StreamCutter> {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(new URL(target).port), "127.0.0.1");
    let seen = 0;
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .once("close", () => {
          sockets.delete(socket);
          incoming.destroy();
          outgoing.destroy();
        });
    }
    incoming.pipe(outgoing);
    outgoing.on("data", (data) => {
      for (let at = data.indexOf('"seq":'); at >= 0; at = data.indexOf('"seq":', at + 1)) {
        if (cuts === times || ++seen <= events) continue;
        cuts++;
        incoming.end(data.subarray(0, at));
        outgoing.destroy();
        return;
      }
      incoming.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
