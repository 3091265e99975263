import { connect } from "node:net";
import { expect, test } from "vitest";
import { HttpServer } from "../../mock-server/http/http-server.ts";
import { send } from "../../mock-server/http/send.ts";
import { until } from "../agent-server/agent.ts";

test("a client that is sending when its last answer is written has the time of an answer, not what was left of its body's", async () => {
  const size = 8 * 1024 * 1024;
  const server = new HttpServer({
    patience: { head: 4, body: 4, next: 4, answer: 1_000_000 },
    tickLength: 5,
    serve: (exchange) =>
      void send(exchange, { status: 401, content: Buffer.alloc(size), headers: { connection: "close" } }),
  });
  try {
    const socket = connect(Number(new URL(await server.listen(0, "127.0.0.1")).port), "127.0.0.1").pause();
    let taken = 0;
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length;
    });
    socket.on("error", () => undefined);
    const closed = new Promise<number>((resolve) => socket.on("close", () => resolve(taken)));
    socket.write("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\nbegi");
    await until(async () => server.tick > 20);
    socket.resume();
    expect(await closed).toBeGreaterThan(size);
  } finally {
    await server.close();
  }
});
