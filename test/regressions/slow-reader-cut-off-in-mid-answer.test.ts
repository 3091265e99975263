import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { HttpServer } from "../../mock-server/http/http-server.ts";
import { send } from "../../mock-server/http/send.ts";
import { until } from "../agent-server/agent.ts";

const size = 32 * 1024 * 1024;
const patience = { head: 4, body: 4, next: 4 };
const serve = (exchange: Parameters<typeof send>[0]) =>
  void send(exchange, { status: 200, content: Buffer.alloc(size), headers: {} });

/** A client that has asked, and takes nothing yet. */
async function asking(url: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n");
  return socket;
}

test("an answer is there until its client has taken it, and the time to the next request begins then", async () => {
  const server = new HttpServer({ serve, patience: { ...patience, answer: 1_000_000 }, tickLength: 5 });
  try {
    const socket = await asking(await server.listen(0, "127.0.0.1"));
    await until(async () => server.tick > 20);
    let taken = 0;
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length;
    });
    socket.resume();
    await once(socket, "close");
    expect(taken).toBeGreaterThan(size);
  } finally {
    await server.close();
  }
});

test("a client that never takes its answer isn't waited for without end", async () => {
  let ended = false;
  const server = new HttpServer({ serve, patience: { ...patience, answer: 10 }, tickLength: 5 });
  try {
    const url = await server.listen(0, "127.0.0.1");
    const socket = await asking(url);
    await until(async () => server.tick > 40);
    socket.on("close", () => {
      ended = true;
    });
    let taken = 0;
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length;
    });
    socket.resume();
    await until(async () => ended);
    expect(taken).toBeLessThan(size);
  } finally {
    await server.close();
  }
});
