import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import type { Answer } from "../../../mock-server/http/answer.ts";
import type { Exchange } from "../../../mock-server/http/exchange.ts";
import { send } from "../../../mock-server/http/send.ts";
import { until } from "../../agent-server/agent.ts";
import { answered, startHttp } from "../wire.ts";

const request = (method: string, headers = "") => `${method} / HTTP/1.1\r\nhost: here\r\n${headers}\r\n`;
const startWith = (answer: Answer) => startHttp({ serve: (exchange) => void send(exchange, answer) });

/** Whether a count has risen, and then stayed the same for ten looks at it. */
function settled(count: () => number): () => Promise<boolean> {
  let known = 0;
  let looks = 0;
  return async () => {
    looks = count() === known ? looks + 1 : 0;
    known = count();
    return known > 0 && looks >= 10;
  };
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** An answer without its date. */
const undated = (text: string) => text.replace(/date: .* GMT\r\n/g, "");

test("an answer has its length in bytes, and is followed by the next", async () => {
  await using server = await startWith({ status: 201, body: "ü" });
  expect(undated(await answered(server.url, request("GET") + request("GET", "connection: close\r\n")))).toBe(
    ["keep-alive\r\nkeep-alive: timeout=5", "close"]
      .map(
        (connection) =>
          `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 4\r\nconnection: ${connection}\r\n\r\n"Ã¼"`,
      )
      .join(""),
  );
});

test("an answer to HEAD has a length and no body, a 204 neither", async () => {
  await using server = await startWith({ status: 200, body: { ok: true } });
  const head = await answered(server.url, request("HEAD", "connection: close\r\n"));
  expect(head).toMatch(/content-length: 11\r\n/);
  expect(head.endsWith("\r\n\r\n")).toBe(true);
  await using empty = await startWith({ status: 204 });
  expect(undated(await answered(empty.url, request("GET", "connection: close\r\n")))).toBe(
    "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
  );
});

test("a header that would begin another one is never sent", async () => {
  const failures: unknown[] = [];
  await using server = await startHttp({
    serve(exchange) {
      try {
        send(exchange, { status: 200, body: 1, headers: { "x-split": "a\r\nset-cookie: b" } });
      } catch (error) {
        failures.push(error);
        exchange.connection.destroy();
      }
    },
  });
  expect(await answered(server.url, request("GET"))).toBe("");
  expect(failures).toMatchObject([{ message: "The header x-split can't be sent." }]);
});

const pieces = (...texts: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });

test("a stream comes in chunks, and for HTTP/1.0 until the connection is closed", async () => {
  const serve = (exchange: Exchange) =>
    void send(exchange, { status: 200, content: pieces("abc", "", "0123456789abcdef"), headers: {} });
  await using server = await startHttp({ serve });
  const chunked = await answered(server.url, request("GET", "connection: close\r\n"));
  expect(chunked).toMatch(/\r\ntransfer-encoding: chunked\r\n/);
  expect(chunked.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe("3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n");
  const old = await answered(server.url, "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
  expect(old).not.toMatch(/transfer-encoding/);
  expect(old.split("\r\n\r\n")[1]).toBe("abc0123456789abcdef");
});

test("a stream that fails is broken off, so that nobody takes it for complete", async () => {
  await using server = await startHttp({
    serve(exchange) {
      let turn = 0;
      const content = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (turn++ > 0) throw new Error("The source has failed.");
          controller.enqueue(Buffer.from("abc"));
        },
      });
      send(exchange, { status: 200, content, headers: {} });
    },
  });
  await expect(fetch(server.url).then((answer) => answer.text())).rejects.toThrow();
});

test("a stream is read only as fast as its client reads, and cancelled when the client hangs up", async () => {
  let made = 0;
  let isCancelled = false;
  const content = new ReadableStream<Uint8Array>({
    pull(controller) {
      made += 65_536;
      controller.enqueue(Buffer.alloc(65_536));
    },
    cancel() {
      isCancelled = true;
    },
  });
  await using server = await startHttp({ serve: (exchange) => void send(exchange, { status: 200, content }) });
  const socket = await connected(server.url);
  socket.pause();
  socket.write(request("GET"));
  await until(settled(() => made));
  expect(made).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  await until(async () => isCancelled);
});

test("what a client sends behind a request waits until that is answered, whatever it is, and takes bounded memory", async () => {
  const waiting: Exchange[] = [];
  await using server = await startHttp({ serve: (exchange) => void waiting.push(exchange) });
  const socket = await connected(server.url);
  let sent = 0;
  const more = request("GET", `x-fill: ${"a".repeat(8000)}\r\n`).repeat(10);
  const fill = () => {
    while (sent < 64 * 1024 * 1024) {
      sent += more.length;
      if (!socket.write(more)) return void socket.once("drain", fill);
    }
  };
  fill();
  await until(settled(() => sent));
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  expect(waiting).toHaveLength(1);
  socket.resume();
  while (waiting.length < 100) {
    const count = waiting.length;
    send(waiting[count - 1] as Exchange, { status: 204 });
    await until(async () => waiting.length > count);
  }
  socket.destroy();
});

test("a body that nobody wants goes by, and the connection goes on", async () => {
  await using server = await startWith({ status: 404, body: null });
  const body = "a".repeat(500_000);
  const posted = `POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n`;
  const answer = await answered(server.url, posted, body, request("GET", "connection: close\r\n"));
  expect(answer.match(/HTTP\/1\.1 404 Not Found/g)).toHaveLength(2);
});

/** Ticks of 5 ms, few of them: what these tests wait for has come, or never comes. */
const impatient = { patience: { head: 4, body: 4, next: 4, answer: 4 }, tickLength: 5 };

test("a client that takes too long is told so, or not waited for", async () => {
  await using server = await startHttp({
    ...impatient,
    serve(exchange) {
      Promise.resolve(exchange.body.read(100, "Too large.")).then(
        () => send(exchange, { status: 200 }),
        (error) => send(exchange, { status: error.status, body: error.detail, headers: error.headers }),
      );
    },
  });
  expect(await answered(server.url, "GET / HT")).toMatch(/^HTTP\/1\.1 408 /);
  expect(await answered(server.url)).toBe("");
  expect(await answered(server.url, "POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 3\r\n\r\na")).toMatch(
    /^HTTP\/1\.1 408 .*\r\nconnection: close\r\n/s,
  );
  expect((await answered(server.url, request("GET"))).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
});

test("an answer that takes long is waited for", async () => {
  await using server = await startHttp({
    ...impatient,
    serve: (exchange) => void setTimeout(() => send(exchange, { status: 204 }), 60),
  });
  expect(await answered(server.url, request("GET", "connection: close\r\n"))).toMatch(/^HTTP\/1\.1 204 /);
});

test("closing a server ends connections that are in use, idle, and half open", async () => {
  const server = await startHttp({ serve: () => undefined });
  const answers = [answered(server.url, request("GET")), answered(server.url), answered(server.url, "GET /")];
  await until(async () => (await Promise.race([...answers, "open"])) === "open");
  await server[Symbol.asyncDispose]();
  expect(await Promise.all(answers)).toEqual(["", "", ""]);
});
