import { expect, test } from "vitest";
import { readText } from "../../mock-server/http/body.ts";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

const chunked = (body: string, version = "1.1") =>
  `POST / HTTP/${version}\r\nhost: here\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${body}`;

test.each([
  ["chunks in HTTP/1.0", chunked("3\r\nabc\r\n0\r\n\r\n", "1.0")],
  ["a carriage return in a chunk's extension", chunked("3;a\rb\r\nabc\r\n0\r\n\r\n")],
  ["a carriage return in a trailer", chunked("3\r\nabc\r\n0\r\nx: a\rb\r\n\r\n")],
  ["a trailer without a name", chunked("3\r\nabc\r\n0\r\n: a\r\n\r\n")],
  ["a request for a trailer", chunked("3\r\nabc\r\n0\r\nGET / HTTP/1.1\r\n\r\n")],
  ["extensions without end", chunked(`${`1;${"x".repeat(1000)}\r\na\r\n`.repeat(20)}0\r\n\r\n`)],
])("a request with %s is refused, and nothing behind it is read", async (_, text) => {
  await using server = await startHttp({
    serve(exchange) {
      Promise.resolve(readText(exchange)).then(
        (body) => send(exchange, { status: 200, body }),
        ({ status, detail, headers }) => send(exchange, { status, body: detail, headers }),
      );
    },
  });
  const answers = await answered(server.url, `${text}GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
});
