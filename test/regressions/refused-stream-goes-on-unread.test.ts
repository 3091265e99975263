import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a stream whose head can't be sent is cancelled", async () => {
  let isCancelled = false;
  await using server = await startHttp({
    serve(exchange) {
      const content = new ReadableStream<Uint8Array>({
        cancel() {
          isCancelled = true;
        },
      });
      expect(() => send(exchange, { status: 200, content, headers: { "x-broken": "a\u0001" } })).toThrow("x-broken");
      exchange.connection.destroy();
    },
  });
  await answered(server.url, "GET / HTTP/1.1\r\nhost: here\r\n\r\n");
  expect(isCancelled).toBe(true);
});
