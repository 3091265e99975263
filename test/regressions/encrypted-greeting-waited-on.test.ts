import { expect, test } from "vitest";
import { answered, startHttp } from "../mock-server/wire.ts";

test.each([
  ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
  ["bare line feeds", "GET / HTTP/1.1\nhost: here\n\n"],
  ["carriage returns", "\r\rGET / HTTP/1.1\r\n"],
])("a client that speaks %s is told at once that this is HTTP/1.1", async (_, greeting) => {
  // Nobody's patience ends here: no tick ever comes.
  await using server = await startHttp({ serve: () => undefined, tickLength: 2 ** 31 - 1 });
  expect(await answered(server.url, greeting)).toMatch(/^HTTP\/1\.1 400 /);
});
