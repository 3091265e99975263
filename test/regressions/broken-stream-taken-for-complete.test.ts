import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { startHttp } from "../mock-server/wire.ts";

test("a stream that fails is an error for a client of HTTP/1.0 too, to whom an orderly end says that it is complete", async () => {
  let fail = () => {};
  await using server = await startHttp({
    serve(exchange) {
      const content = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(Buffer.from("abc"));
          fail = () => controller.error(new Error("The source has failed."));
        },
      });
      send(exchange, { status: 200, content });
    },
  });
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.0\r\n\r\n");
  let text = "";
  while (!text.endsWith("abc")) text += (await once(socket, "data"))[0];
  const failed = once(socket, "error");
  const ended = once(socket, "end").catch(() => undefined);
  fail();
  expect(await Promise.race([failed, ended.then(() => "an orderly end")])).toMatchObject([{ code: "ECONNRESET" }]);
});
