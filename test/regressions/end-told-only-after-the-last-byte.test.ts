import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { startHttp } from "../mock-server/wire.ts";

test("a client that is still sending learns at once that its refused request has been answered for good", async () => {
  // The time that such a client is given never ends.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await using server = await startHttp({
    serve: (exchange) => void send(exchange, { status: 401, headers: { connection: "close" } }),
  });
  const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", allowHalfOpen: true });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => {
    answer += text;
  });
  // The body is never completed: the end of the answer can't have waited for it.
  socket.write("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 1000000\r\n\r\nbegin");
  await once(socket, "end");
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});
