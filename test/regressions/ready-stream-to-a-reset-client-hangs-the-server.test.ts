import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a stream that always has more is given up when its connection is destroyed, and the server goes on", async () => {
  let pieces = 0;
  let isCancelled = false;
  await using server = await startHttp({
    serve(exchange) {
      if (exchange.target === "/ok") return send(exchange, { status: 204 });
      const content = new ReadableStream<Uint8Array>({
        pull(controller) {
          pieces++;
          // Nothing but its reader could end it; a server that goes on with it would never come to anything else.
          if (pieces > 100_000) controller.close();
          else controller.enqueue(Buffer.alloc(100));
          if (pieces === 10) exchange.connection.reset();
        },
        cancel() {
          isCancelled = true;
        },
      });
      send(exchange, { status: 200, content });
    },
  });
  await answered(server.url, "GET /stream HTTP/1.1\r\nhost: here\r\n\r\n");
  expect(await answered(server.url, "GET /ok HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")).toMatch(/ 204 /);
  expect({ isCancelled, isShort: pieces < 1000 }).toEqual({ isCancelled: true, isShort: true });
});
