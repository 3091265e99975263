import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a request behind one that ends the connection isn't run, also when that is answered at once", async () => {
  const served: string[] = [];
  await using server = await startHttp({
    serve(exchange) {
      served.push(exchange.target);
      send(exchange, { status: 204 });
    },
  });
  const request = (target: string, headers: string) => `DELETE ${target} HTTP/1.1\r\nhost: here\r\n${headers}\r\n`;
  await answered(server.url, request("/first", "connection: close\r\n") + request("/second", ""));
  expect(served).toEqual(["/first"]);
});
