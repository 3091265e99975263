import { connect } from "node:net";
import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { startHttp } from "../mock-server/wire.ts";

/** Asks as a client of HTTP/1.0, and tells how the connection ends. `onText` is told all that has come so far. */
function endFor(url: string, onText: (text: string) => void = () => undefined): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
    onText(text);
  });
  socket.write("GET / HTTP/1.0\r\n\r\n");
  return new Promise((resolve) => {
    socket.on("end", () => resolve("an orderly end"));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}

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
  expect(await endFor(server.url, (text) => text.endsWith("abc") && fail())).toBe("ECONNRESET");
});

test("so is one that is broken off on purpose", async () => {
  await using server = await startHttp({
    serve: ({ connection }) => void connection.breakOffAfter(200, [], Buffer.from("abc"), undefined),
  });
  expect(await endFor(server.url)).toBe("ECONNRESET");
});
