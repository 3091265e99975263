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

/** A client that has asked, and takes nothing until it is told to; then it says how many bytes it has got in all. */
async function asking(url: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
  let taken = 0;
  socket.on("data", (bytes: Buffer) => {
    taken += bytes.length;
  });
  socket.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => socket.on("close", () => resolve(taken)));
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n");
  return () => {
    socket.resume();
    return closed;
  };
}

test("an answer is there until its client has taken it, and the time to the next request begins then", async () => {
  const server = new HttpServer({ serve, patience: { ...patience, answer: 1_000_000 }, tickLength: 5 });
  try {
    const take = await asking(await server.listen(0, "127.0.0.1"));
    await until(async () => server.tick > 20);
    expect(await take()).toBeGreaterThan(size);
  } finally {
    await server.close();
  }
});

test("a client that never takes its answer isn't waited for without end", async () => {
  const server = new HttpServer({ serve, patience: { ...patience, answer: 10 }, tickLength: 5 });
  try {
    const take = await asking(await server.listen(0, "127.0.0.1"));
    await until(async () => server.tick > 40);
    expect(await take()).toBeLessThan(size);
  } finally {
    await server.close();
  }
});
