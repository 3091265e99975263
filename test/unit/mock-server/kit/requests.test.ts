import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Client } from "undici";
import { expect, test } from "vitest";
import { errorResponses } from "../../../../mock-server/kit/http/errors.ts";
import type { Handler } from "../../../../mock-server/kit/http/http-response.ts";
import { inject } from "../../../../mock-server/kit/http/inject.ts";
import { chain } from "../../../../mock-server/kit/http/middleware.ts";
import { until } from "../../../kit/agent-server/agent.ts";
import { connectTo, conversation, startHttp } from "../../../kit/mock-server/wire.ts";

const noDefects = (error: unknown) => {
  throw error;
};

/** Responds with the parsed request. */
const echo: Handler = chain(errorResponses(noDefects), async (context) => {
  const { method, target, headerLines } = context;
  const body = await context.readText(1000);
  return { status: 200, body: { method, target, headers: headerLines, body } };
});

const startEcho = () => startHttp({ handle: echo });

/** Statuses and bodies of consecutive responses, which all have JSON and a length. */
function responsesIn(text: string): { status: number; body: { [name: string]: unknown } }[] {
  const responses = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const length = Number(/content-length: (\d+)/.exec(rest.slice(0, end))?.[1] ?? 0);
    const body = Buffer.from(rest.slice(end, end + length), "latin1").toString("utf8");
    responses.push({ status: Number(rest.slice(9, 12)), body: body === "" ? {} : JSON.parse(body) });
    rest = rest.slice(end + length);
  }
  return responses;
}

const closing = "GET /last HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
const requests = Buffer.from(
  [
    "GET /first?x=1 HTTP/1.1\r\nHost: here\r\nX-Empty:\r\nX-Blank: \t a b \t\r\n\r\n",
    "POST /second HTTP/1.1\r\nhost: here\r\ncontent-length: 6\r\n\r\n\r\nü\r\n",
    "PUT /third HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0A;note=1\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n",
    "PATCH /fourth HTTP/1.1\r\nhost: here\r\ntransfer-encoding: Chunked\r\n\r\n0\r\n\r\n",
    closing,
  ].join(""),
);

test("requests are parsed the same in any chunks, with responses in order", async () => {
  await using server = await startEcho();
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: requests.length - 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const borders = [0, ...places.sort((a, b) => a - b), requests.length];
      const pieces = borders.slice(1).map((border, index) => requests.subarray(borders[index], border));
      expect(responsesIn(await conversation(server.url, ...pieces)).map(({ body }) => body)).toEqual([
        { method: "GET", target: "/first?x=1", headers: ["Host", "here", "X-Empty", "", "X-Blank", "a b"], body: "" },
        { method: "POST", target: "/second", headers: ["host", "here", "content-length", "6"], body: "\r\nü\r\n" },
        {
          method: "PUT",
          target: "/third",
          headers: ["host", "here", "transfer-encoding", "chunked"],
          body: "abc0123456789",
        },
        { method: "PATCH", target: "/fourth", headers: ["host", "here", "transfer-encoding", "Chunked"], body: "" },
        { method: "GET", target: "/last", headers: ["Host", "here", "Connection", "close"], body: "" },
      ]);
    }),
    { numRuns: 60 },
  );
});

const get = (line: string, headers = "host: here\r\n") => `${line}\r\n${headers}\r\n`;
const post = (headers: string, body = "") => `POST / HTTP/1.1\r\nhost: here\r\n${headers}\r\n${body}`;
const chunks = (body: string) => post("transfer-encoding: chunked\r\n", body);

test.concurrent.each([
  ["no request line", "hello\r\n\r\n", 400],
  ["the beginning of TLS", Buffer.from("16030100c8010000c40303", "hex").toString("latin1"), 400],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["a space in the target", get("GET /a b HTTP/1.1"), 400],
  ["a space before a colon", get("GET / HTTP/1.1", "host : here\r\n"), 400],
  ["a header without a name", get("GET / HTTP/1.1", "host: here\r\n: x\r\n"), 400],
  ["a header without a colon", get("GET / HTTP/1.1", "host: here\r\nnothing\r\n"), 400],
  ["a bare carriage return", get("GET / HTTP/1.1", "host: here\r\nx: a\rb: c\r\n"), 400],
  ["a control character", get("GET / HTTP/1.1", "host: here\r\nx: a\0b\r\n"), 400],
  ["a head that is too large", get("GET / HTTP/1.1", `host: here\r\nx: ${"a".repeat(17_000)}\r\n`), 431],
  ["a coding behind another", post("transfer-encoding: chunked, gzip\r\n"), 400],
  ["a length and chunks", post("content-length: 3\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["two lengths", post("content-length: 3\r\ncontent-length: 3\r\n", "abc"), 400],
  ["a negative length", post("content-length: -1\r\n"), 400],
  ["a length that isn't a number", post("content-length: 0x3\r\n", "abc"), 400],
  ["a length beyond all numbers", post(`content-length: ${"9".repeat(30)}\r\n`), 400],
  ["a chunk without a size", chunks("\r\n"), 400],
  ["a chunk with a sign", chunks("+3\r\nabc\r\n0\r\n\r\n"), 400],
  ["a chunk longer than its size", chunks("3\r\nabcd\r\n0\r\n\r\n"), 400],
  ["a chunk ended by a line feed", chunks("3\nabc\r\n0\r\n\r\n"), 400],
  ["a carriage return in a chunk's extension", chunks("3;a\rb\r\nabc\r\n0\r\n\r\n"), 400],
  ["a trailer without a name", chunks("3\r\nabc\r\n0\r\n: a\r\n\r\n"), 400],
  ["a request for a trailer", chunks("3\r\nabc\r\n0\r\nGET / HTTP/1.1\r\n\r\n"), 400],
])("a request with %s is refused in one sentence, and nothing after it is read", async (_, text, status) => {
  await using server = await startEcho();
  const responses = responsesIn(await conversation(server.url, text + closing));
  expect(responses).toEqual([{ status, body: { detail: expect.stringMatching(/^[A-Z].*\.$/) } }]);
});

test.concurrent.each([
  ["no host", get("GET / HTTP/1.1", ""), 400],
  ["an unknown expectation", post("expect: 200-ok\r\nconnection: close\r\n"), 417],
])("a request with %s is refused", async (_, text, status) => {
  await using server = await startEcho();
  expect(await conversation(server.url, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test.each([
  ["a body", post("content-length: 1001\r\n", "a".repeat(1001))],
  ["chunks", chunks(`3e9\r\n${"a".repeat(1001)}\r\n0\r\n\r\n`)],
])("%s over the limit is refused, and the connection stays usable", async (_, text) => {
  await using server = await startEcho();
  const responses = responsesIn(await conversation(server.url, text + closing));
  expect(responses.map(({ status }) => status)).toEqual([413, 200]);
});

test("the rest of a refused body is discarded, so that the connection serves the next request", async () => {
  await using server = await startEcho();
  const client = new Client(server.url);
  const body = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(65_536, "a")));
  const refused = await client.request({ method: "POST", path: "/", body });
  expect([refused.statusCode, refused.headers.connection]).toEqual([413, "keep-alive"]);
  await refused.body.dump();
  const next = await client.request({ method: "GET", path: "/next" });
  expect(await next.body.json()).toMatchObject({ target: "/next" });
  await client.close();
});

test("a slow client gets 408 or is disconnected", async () => {
  await using server = await startHttp({
    handle: echo,
    timeouts: { head: 20, request: 20, keepAlive: 20, checkInterval: 5 },
  });
  expect(await conversation(server.url, "GET / HT")).toMatch(/^HTTP\/1\.1 408 /);
  expect(await conversation(server.url)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  expect(await conversation(server.url, post("content-length: 3\r\n", "a"))).toMatch(
    /^HTTP\/1\.1 408 .*\r\nconnection: close\r\n/s,
  );
  expect((await conversation(server.url, get("GET / HTTP/1.1"))).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
});

test("an HTTP/1.0 connection is closed unless the client asks to keep it", async () => {
  await using server = await startEcho();
  const old = "GET /old HTTP/1.0\r\n";
  expect(responsesIn(await conversation(server.url, `${old}\r\n${old}\r\n`))).toHaveLength(1);
  expect(responsesIn(await conversation(server.url, `${old}Connection: Keep-Alive\r\n\r\n${old}\r\n`))).toHaveLength(2);
});

test("100 Continue is sent when a handler reads the body, and not if the body would be refused", async () => {
  await using server = await startEcho();
  const asking = request(server.url, { method: "POST", headers: { expect: "100-continue", "content-length": 3 } });
  asking.flushHeaders();
  await once(asking, "continue");
  asking.end("abc");
  const [response] = await once(asking, "response");
  expect(await json(response)).toMatchObject({ body: "abc" });
  const refused = await conversation(server.url, post("expect: 100-continue\r\ncontent-length: 5000\r\n"));
  expect(refused).toMatch(/^HTTP\/1\.1 413 /);
  expect(refused).toMatch(/\r\nconnection: close\r\n/i);
});

test("100 Continue isn't sent after the response", async () => {
  await using server = await startHttp({
    handle(context) {
      // A handler may read the body of a request that it has refused.
      setImmediate(() => context.readBytes(100).catch(() => undefined));
      return { status: 401 };
    },
  });
  const text = await conversation(server.url, post("expect: 100-continue\r\ncontent-length: 3\r\n"));
  expect(text).toMatch(/^HTTP\/1\.1 401 /);
  expect(text).not.toContain("100 Continue");
});

test("repeated headers are joined, except those that can't repeat", async () => {
  let seen: (string | undefined)[] = [];
  const names = ["accept", "cookie", "authorization", "x-none", "constructor"];
  await using server = await startHttp({
    handle(context) {
      seen = names.map((name) => context.header(name));
      return { status: 204 };
    },
  });
  const lines = "accept: a\r\nAccept: b\r\ncookie: c=1\r\ncookie: d=2\r\nauthorization: e\r\nauthorization: f\r\n";
  await conversation(server.url, get("GET / HTTP/1.1", `host: here\r\nconnection: close\r\n${lines}`));
  expect(seen).toEqual(["a, b", "c=1; d=2", "e", undefined, undefined]);
});

test("a target with a scheme and a host is reduced to its path", async () => {
  const paths: string[] = [];
  await using server = await startHttp({
    handle(context) {
      paths.push(context.rawPath);
      return { status: 200, body: context.query.get("x") };
    },
  });
  await conversation(server.url, get("GET http://there/a%20b?x=1 HTTP/1.1", "host: here\r\nconnection: close\r\n"));
  expect(paths).toEqual(["/a%20b"]);
});

test("pipelined requests are handled one at a time, and take bounded memory while they wait", async () => {
  const waiting: (() => void)[] = [];
  await using server = await startHttp({
    handle: () => new Promise((resolve) => waiting.push(() => resolve({ status: 204 }))),
  });
  const socket = connectTo(server.url);
  await once(socket, "connect");
  let sent = 0;
  const more = get("GET / HTTP/1.1", `host: here\r\nx-fill: ${"a".repeat(8000)}\r\n`).repeat(10);
  const fill = () => {
    while (sent < 64 * 1024 * 1024) {
      sent += more.length;
      if (!socket.write(more)) return void socket.once("drain", fill);
    }
  };
  fill();
  let known = 0;
  let looks = 0;
  await until(async () => {
    looks = sent === known ? looks + 1 : 0;
    known = sent;
    return looks >= 10;
  });
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  expect(waiting).toHaveLength(1);
  socket.resume();
  while (waiting.length < 100) {
    const count = waiting.length;
    waiting[count - 1]?.();
    await until(async () => waiting.length > count);
  }
  socket.destroy();
});

test("a request after the one that ends the connection isn't handled", async () => {
  const handled: string[] = [];
  await using server = await startHttp({
    handle({ target }) {
      handled.push(target);
      return { status: 204 };
    },
  });
  const remove = (target: string, headers: string) => `DELETE ${target} HTTP/1.1\r\nhost: here\r\n${headers}\r\n`;
  await conversation(server.url, remove("/first", "connection: close\r\n") + remove("/second", ""));
  expect(handled).toEqual(["/first"]);
});

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function bytesInUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("a body takes about as much memory as it has bytes, however small its chunks are", async () => {
  const size = 200_000;
  let received = () => 0;
  await using server = await startHttp({
    async handle(context) {
      const reading = context.readBytes(1_000_000);
      received = () => bytesInUse();
      return { status: 200, body: (await reading).length };
    },
  });
  const socket = connectTo(server.url);
  socket.write(chunks(""));
  await until(async () => received() > 0);
  const before = bytesInUse();
  const sent = new Promise((resolve) => socket.write("1\r\na\r\n".repeat(size), resolve));
  await sent;
  await until(async () => socket.bytesWritten > 6 * size && socket.writableLength === 0);
  expect(bytesInUse() - before).toBeLessThan(4_000_000);
  socket.write("0\r\n\r\n");
  const [response] = await once(socket, "data");
  expect(String(response)).toMatch(/\r\n\r\n200000$/);
  socket.destroy();
});

test("a handler can be called without a socket", async () => {
  const response = await inject(echo, { method: "POST", path: "/a?b=1", headers: { "x-c": "d" }, body: { e: 1 } });
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: {
      method: "POST",
      target: "/a?b=1",
      headers: ["host", "localhost", "x-c", "d", "content-length", "7"],
      body: '{"e":1}',
    },
  });
});
