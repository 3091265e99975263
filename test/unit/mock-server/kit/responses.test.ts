import { once } from "node:events";
import { Agent, get } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Handler, HttpResponse } from "../../../../mock-server/kit/http/http-response.ts";
import { HttpServer } from "../../../../mock-server/kit/http/http-server.ts";
import { until } from "../../../kit/agent-server/agent.ts";
import { connectTo, conversation, startHttp } from "../../../kit/mock-server/wire.ts";

const request = (method: string, headers = "") => `${method} / HTTP/1.1\r\nhost: here\r\n${headers}\r\n`;
const startWith = (response: HttpResponse) => startHttp({ handle: () => response });

/** A response without its date. */
const undated = (text: string) => text.replace(/date: .* GMT\r\n/gi, "");

test("a response has its length in bytes, and the next one follows it", async () => {
  await using server = await startWith({ status: 201, body: "ü" });
  expect(undated(await conversation(server.url, request("GET") + request("GET", "connection: close\r\n")))).toBe(
    ["keep-alive\r\nKeep-Alive: timeout=5", "close"]
      .map(
        (connection) =>
          `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 4\r\nConnection: ${connection}\r\n\r\n"Ã¼"`,
      )
      .join(""),
  );
});

test("a response to HEAD has a length but no body, a 204 has neither", async () => {
  await using server = await startWith({ status: 200, body: { ok: true } });
  const head = await conversation(server.url, request("HEAD", "connection: close\r\n"));
  expect(head).toMatch(/content-length: 11\r\n/);
  expect(head.endsWith("\r\n\r\n")).toBe(true);
  await using empty = await startWith({ status: 204 });
  expect(undated(await conversation(empty.url, request("GET", "connection: close\r\n")))).toBe(
    "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
  );
});

const circular: Record<string, unknown> = {};
circular.self = circular;

test.each<[string, HttpResponse]>([
  ["a header that would begin another one", { status: 200, body: 1, headers: { "x-split": "a\r\nset-cookie: b" } }],
  ["a body that isn't JSON", { status: 200, body: circular }],
])("a response with %s breaks only its own connection", async (_, response) => {
  const defects: unknown[] = [];
  await using server = await startHttp({
    handle: ({ target }) => (target === "/ok" ? { status: 204 } : response),
    onDefect: (error) => defects.push(error),
  });
  expect(await conversation(server.url, request("GET"))).toBe("");
  expect(defects).toHaveLength(1);
  expect((await fetch(`${server.url}/ok`)).status).toBe(204);
});

test("a stream whose head can't be sent is cancelled", async () => {
  let isCancelled = false;
  const content = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  await using server = await startHttp({
    handle: () => ({ status: 200, content, headers: { "x-broken": "a\u0001" } }),
    onDefect: () => undefined,
  });
  await conversation(server.url, request("GET"));
  expect(isCancelled).toBe(true);
});

const pieces = (...texts: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });

test("a stream is sent in chunks, and for HTTP/1.0 until the connection is closed", async () => {
  await using server = await startHttp({
    handle: () => ({ status: 200, content: pieces("abc", "0123456789abcdef"), headers: {} }),
  });
  const chunked = await conversation(server.url, request("GET", "connection: close\r\n"));
  expect(chunked).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
  expect(await (await fetch(server.url)).text()).toBe("abc0123456789abcdef");
  const old = await conversation(server.url, "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
  expect(old).not.toMatch(/transfer-encoding/i);
  expect(old.split("\r\n\r\n")[1]).toBe("abc0123456789abcdef");
});

/** A stream of one chunk, and a function that makes it fail after that. */
function failing() {
  let fail = () => {};
  const handle: Handler = () => ({
    status: 200,
    content: new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from("abc"));
        fail = () => controller.error(new Error("The source has failed."));
      },
    }),
  });
  return { handle, fail: () => fail() };
}

const truncated: HttpResponse = {
  status: 200,
  content: Buffer.from("abc"),
  disruption: { kind: "truncated", length: undefined },
};

test("a stream that fails, or is truncated, isn't complete for its client", async () => {
  const { handle, fail } = failing();
  await using server = await startHttp({ handle });
  const response = await fetch(server.url);
  fail();
  await expect(response.text()).rejects.toThrow();
  await using other = await startWith(truncated);
  await expect(fetch(other.url).then((received) => received.text())).rejects.toThrow();
});

/** Sends an HTTP/1.0 request and returns how the connection ends. `onText` gets all text received so far. */
function endFor(url: string, onText: (text: string) => void = () => undefined): Promise<string> {
  const socket = connectTo(url);
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

test("a failed stream isn't complete for an HTTP/1.0 client either", async () => {
  const { handle, fail } = failing();
  await using server = await startHttp({ handle });
  expect(await endFor(server.url, (text) => text.endsWith("abc") && fail())).toBe("ECONNRESET");
  await using other = await startWith(truncated);
  expect(await endFor(other.url)).toBe("ECONNRESET");
});

test("a stream is read only as fast as its client reads, and cancelled when the client disconnects", async () => {
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
  await using server = await startHttp({ handle: () => ({ status: 200, content }) });
  const socket = connectTo(server.url).pause();
  await once(socket, "connect");
  socket.write(request("GET"));
  let known = 0;
  let looks = 0;
  await until(async () => {
    looks = made === known ? looks + 1 : 0;
    known = made;
    return made > 0 && looks >= 10;
  });
  expect(made).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
  await until(async () => isCancelled);
});

test("an endless stream is cancelled when its client disconnects, and the server keeps running", async () => {
  let count = 0;
  let isCancelled = false;
  let disconnect = () => {};
  await using server = await startHttp({
    handle({ target }) {
      if (target === "/ok") return { status: 204 };
      const content = new ReadableStream<Uint8Array>({
        pull(controller) {
          count++;
          // Only the reader can end it. A server that kept reading would be stuck in it.
          if (count > 100_000) controller.close();
          else controller.enqueue(Buffer.alloc(100));
          if (count === 10) disconnect();
        },
        cancel() {
          isCancelled = true;
        },
      });
      return { status: 200, content };
    },
  });
  const socket = connectTo(server.url);
  disconnect = () => void socket.resetAndDestroy();
  socket.write("GET /stream HTTP/1.1\r\nhost: here\r\n\r\n");
  await once(socket, "close");
  expect((await fetch(`${server.url}/ok`)).status).toBe(204);
  await until(async () => isCancelled);
  expect(count).toBeLessThan(100_000);
});

test("an unread body is discarded, and the connection stays usable", async () => {
  await using server = await startWith({ status: 404, body: null });
  const body = "a".repeat(500_000);
  const posted = `POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n`;
  const text = await conversation(server.url, posted, body, request("GET", "connection: close\r\n"));
  expect(text.match(/HTTP\/1\.1 404 Not Found/g)).toHaveLength(2);
});

test("a client that is still sending gets the response to its refused request at once", async () => {
  // The time that the server gives such a client never runs out.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await using server = await startWith({ status: 401, headers: { connection: "close" } });
  const socket = connectTo(server.url);
  let text = "";
  socket.setEncoding("latin1").on("data", (piece) => {
    text += piece;
  });
  // The body is never completed, so the response can't have waited for it.
  socket.write("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 1000000\r\n\r\nbegin");
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 401 /);
});

const size = 32 * 1024 * 1024;

/**
 * Sends a request and reads nothing until the returned function is called, which resolves with the number of bytes
 * received.
 */
async function slowReader(url: string) {
  const socket = connectTo(url).pause();
  let taken = 0;
  socket.on("data", (bytes: Buffer) => {
    taken += bytes.length;
  });
  const closed = new Promise<number>((resolve) => socket.on("close", () => resolve(taken)));
  await once(socket, "connect");
  socket.write(request("GET", "connection: close\r\n"));
  return () => {
    socket.resume();
    return closed;
  };
}

test("the keep-alive timeout starts when the client has read the response", async () => {
  let isRequested = false;
  await using server = await startHttp({
    handle() {
      isRequested = true;
      return { status: 200, content: Buffer.alloc(size) };
    },
    timeouts: { head: 20, request: 20, keepAlive: 20, checkInterval: 5 },
  });
  const take = await slowReader(server.url);
  await until(async () => isRequested);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await take()).toBeGreaterThan(size);
});

test("a client that never reads its response is disconnected", async () => {
  let status: number | null | undefined;
  await using server = await startHttp({
    handle: () => ({ status: 200, content: Buffer.alloc(size) }),
    timeouts: { response: 20 },
    onFinish: (_, finished) => {
      status = finished;
    },
  });
  const take = await slowReader(server.url);
  await until(async () => status !== undefined);
  expect(status).toBeNull();
  expect(await take()).toBeLessThan(size);
});

test("a slow client with many pipelined requests causes no warning", async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  await using server = await startWith({ status: 200, content: "x".repeat(1_000_000) });
  const socket = connectTo(server.url).pause();
  let taken = 0;
  socket.on("data", (bytes: Buffer) => {
    taken += bytes.length;
  });
  socket.write(request("GET").repeat(30) + request("GET", "connection: close\r\n"));
  // Once a later client has its response, the server has received all of these requests.
  expect(await conversation(server.url, request("GET", "connection: close\r\n"))).toMatch(/^HTTP\/1\.1 200 /);
  socket.resume();
  await once(socket, "close");
  expect(taken).toBeGreaterThan(31_000_000);
  expect(warnings).toEqual([]);
});

test("a slow handler doesn't time out", async () => {
  await using server = await startHttp({
    timeouts: { head: 20, request: 20, keepAlive: 20, response: 20, checkInterval: 5 },
    handle: () => new Promise((resolve) => setTimeout(() => resolve({ status: 204 }), 60)),
  });
  expect(await conversation(server.url, request("GET", "connection: close\r\n"))).toMatch(/^HTTP\/1\.1 204 /);
});

test("closing a server ends active, idle and half-open connections", async () => {
  const server = await startHttp({ handle: () => new Promise(() => undefined) });
  const conversations = [
    conversation(server.url, request("GET")),
    conversation(server.url),
    conversation(server.url, "GET /"),
  ];
  await until(async () => (await Promise.race([...conversations, "open"])) === "open");
  await server[Symbol.asyncDispose]();
  expect(await Promise.all(conversations)).toEqual(["", "", ""]);
});

test("with a grace period, a response in progress is finished, and one that takes longer is cut", async () => {
  const finish: (() => void)[] = [];
  const server = new HttpServer({
    handle: () => new Promise((resolve) => finish.push(() => resolve({ status: 200, body: "done" }))),
  });
  const url = await server.listen(0, "127.0.0.1");
  const [first, second] = [fetch(url), fetch(url)];
  second.catch(() => undefined);
  await until(async () => finish.length === 2);
  const closed = server.close(300);
  await expect(fetch(url)).rejects.toThrow();
  finish[0]?.();
  expect(await (await first).json()).toBe("done");
  await closed;
  await expect(second).rejects.toThrow();
});

test("once the responses in progress are finished, a server doesn't wait for clients that keep their connections", async () => {
  let finish: (() => void) | undefined;
  const server = new HttpServer({
    handle: () =>
      new Promise((resolve) => {
        finish = () => resolve({ status: 200, body: "done" });
      }),
  });
  const url = await server.listen(0, "127.0.0.1");
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const sent = get(url, { agent });
  await until(async () => finish !== undefined);
  const closed = server.close(60_000);
  finish?.();
  const [response] = await once(sent, "response");
  response.resume();
  await closed;
}, 3000);
