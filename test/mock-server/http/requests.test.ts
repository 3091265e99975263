import { once } from "node:events";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readText } from "../../../mock-server/http/body.ts";
import type { Exchange } from "../../../mock-server/http/exchange.ts";
import { send } from "../../../mock-server/http/send.ts";
import { HttpError } from "../../../mock-server/http-error.ts";
import { answered, startHttp } from "../wire.ts";

/** Answers with what has been understood of a request. */
async function echo(exchange: Exchange): Promise<void> {
  const { method, target, headerLines } = exchange;
  try {
    const body = await readText(exchange, 1000);
    send(exchange, { status: 200, body: { method, target, headers: headerLines, body } });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    send(exchange, { status: error.status, body: { detail: error.detail }, headers: error.headers });
  }
}

const startEcho = () => startHttp({ serve: (exchange) => void echo(exchange).catch(() => undefined) });

/** Statuses and bodies of answers that stand one behind the other, all of JSON and with their length. */
function answersIn(text: string): { status: number; body: { [name: string]: unknown } }[] {
  const answers = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const length = Number(/content-length: (\d+)/.exec(rest.slice(0, end))?.[1] ?? 0);
    const json = Buffer.from(rest.slice(end, end + length), "latin1").toString("utf8");
    answers.push({ status: Number(rest.slice(9, 12)), body: json === "" ? {} : JSON.parse(json) });
    rest = rest.slice(end + length);
  }
  return answers;
}

const closing = "GET /last HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
const requests = Buffer.from(
  [
    "GET /first?x=1 HTTP/1.1\r\nHost: here\r\nX-Empty:\r\nX-Blank: \t a b \t\r\n\r\n",
    "\r\nPOST /second HTTP/1.1\r\nhost: here\r\ncontent-length: 6\r\n\r\n\r\nü\r\n",
    "PUT /third HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0A ; note=1\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n",
    "PATCH /fourth HTTP/1.1\r\nhost: here\r\ntransfer-encoding: Chunked\r\n\r\n0\r\n\r\n",
    closing,
  ].join(""),
);

test("requests are read the same however their bytes are cut, and answered in their order", async () => {
  await using server = await startEcho();
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: requests.length - 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const borders = [0, ...places.sort((a, b) => a - b), requests.length];
      const pieces = borders.slice(1).map((border, index) => requests.subarray(borders[index], border));
      expect(answersIn(await answered(server.url, ...pieces)).map(({ body }) => body)).toEqual([
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

test.concurrent.each([
  ["no request line", "hello\r\n\r\n", 400],
  ["a lower version", get("GET / HTTP/0.9"), 505],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
  ["a space in the target", get("GET /a b HTTP/1.1"), 400],
  ["no host", get("GET / HTTP/1.1", ""), 400],
  ["two hosts", get("GET / HTTP/1.1", "host: a\r\nHost: b\r\n"), 400],
  ["a space before a colon", get("GET / HTTP/1.1", "host : here\r\n"), 400],
  ["a header without a name", get("GET / HTTP/1.1", "host: here\r\n: x\r\n"), 400],
  ["a header without a colon", get("GET / HTTP/1.1", "host: here\r\nnothing\r\n"), 400],
  ["a folded header", get("GET / HTTP/1.1", "host: here\r\nx: a\r\n b\r\n"), 400],
  ["a bare line feed", get("GET / HTTP/1.1", "host: here\nx: a\r\n"), 400],
  ["a bare carriage return", get("GET / HTTP/1.1", "host: here\r\nx: a\rb: c\r\n"), 400],
  ["a control character", get("GET / HTTP/1.1", "host: here\r\nx: a\0b\r\n"), 400],
  ["a head that is too large", get("GET / HTTP/1.1", `host: here\r\nx: ${"a".repeat(17_000)}\r\n`), 431],
  ["a head without end", "x".repeat(17_000), 431],
  ["an unknown coding", post("transfer-encoding: gzip, chunked\r\n"), 501],
  ["a length and chunks", post("content-length: 3\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["two lengths", post("content-length: 3\r\ncontent-length: 3\r\n", "abc"), 400],
  ["a negative length", post("content-length: -1\r\n"), 400],
  ["a length that is no number", post("content-length: 0x3\r\n", "abc"), 400],
  ["a length beyond all numbers", post(`content-length: ${"9".repeat(30)}\r\n`), 400],
  ["an unknown expectation", post("expect: 200-ok\r\n"), 417],
  ["a chunk without a size", post("transfer-encoding: chunked\r\n", "\r\n"), 400],
  ["a chunk with a sign", post("transfer-encoding: chunked\r\n", "+3\r\nabc\r\n0\r\n\r\n"), 400],
  ["a chunk longer than its size", post("transfer-encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n"), 400],
  ["a chunk ended by a line feed", post("transfer-encoding: chunked\r\n", "3\nabc\r\n0\r\n\r\n"), 400],
  ["a chunk larger than all memory", post("transfer-encoding: chunked\r\n", "fffffffffffff\r\n"), 400],
  ["a chunk's size without end", post("transfer-encoding: chunked\r\n", `3;${"x".repeat(2000)}`), 400],
  ["a body over the limit", post("content-length: 1001\r\n", "a".repeat(1001)), 413],
  ["chunks over the limit", post("transfer-encoding: chunked\r\n", `3e9\r\n${"a".repeat(1001)}\r\n0\r\n\r\n`), 413],
])("a request with %s is refused in one sentence, and nothing behind it is read", async (_, text, status) => {
  await using server = await startEcho();
  const answers = answersIn(await answered(server.url, text + closing));
  expect(answers).toEqual([{ status, body: { detail: expect.stringMatching(/^[A-Z].*\.$/) } }]);
});

test("a client of HTTP/1.0 has its connection closed, unless it asks to keep it", async () => {
  await using server = await startEcho();
  const old = "GET /old HTTP/1.0\r\n";
  expect(answersIn(await answered(server.url, `${old}\r\n${old}\r\n`))).toHaveLength(1);
  expect(answersIn(await answered(server.url, `${old}Connection: Keep-Alive\r\n\r\n${old}\r\n`))).toHaveLength(2);
});

test("a body is asked for when it is wanted, and not when it would be refused", async () => {
  await using server = await startEcho();
  const asking = request(server.url, { method: "POST", headers: { expect: "100-continue", "content-length": 3 } });
  asking.flushHeaders();
  await once(asking, "continue");
  asking.end("abc");
  const [answer] = await once(asking, "response");
  expect(await json(answer)).toMatchObject({ body: "abc" });
  const refused = await answered(server.url, post("expect: 100-continue\r\ncontent-length: 5000\r\n"));
  expect(refused).toMatch(/^HTTP\/1\.1 413 /);
  expect(refused).toMatch(/\r\nconnection: close\r\n/);
});

test("several headers of a name are one, but those of which there is one", async () => {
  let seen: (string | undefined)[] = [];
  const names = ["accept", "cookie", "authorization", "x-none"];
  await using server = await startHttp({
    serve(exchange) {
      seen = names.map((name) => exchange.header(name));
      send(exchange, { status: 204 });
    },
  });
  const lines = "accept: a\r\nAccept: b\r\ncookie: c=1\r\ncookie: d=2\r\nauthorization: e\r\nauthorization: f\r\n";
  await answered(server.url, get("GET / HTTP/1.1", `host: here\r\nconnection: close\r\n${lines}`));
  expect(seen).toEqual(["a, b", "c=1; d=2", "e", undefined]);
});

test("a target with a scheme and a host is read as its path", async () => {
  const paths: string[] = [];
  await using server = await startHttp({
    serve(exchange) {
      paths.push(exchange.rawPath);
      send(exchange, { status: 200, body: exchange.query.get("x") });
    },
  });
  await answered(server.url, get("GET http://there/a%20b?x=1 HTTP/1.1", "host: here\r\nconnection: close\r\n"));
  expect(paths).toEqual(["/a%20b"]);
});
