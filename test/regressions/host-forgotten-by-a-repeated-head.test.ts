import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a request of HTTP/1.1 without a host is refused, also behind one of HTTP/1.0 with the same headers", async () => {
  await using server = await startHttp({ serve: (exchange) => void send(exchange, { status: 204 }) });
  const headers = "connection: keep-alive\r\n\r\n";
  const answers = await answered(server.url, `GET / HTTP/1.0\r\n${headers}`, `GET / HTTP/1.1\r\n${headers}`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 204", "HTTP/1.1 400"]);
});
