import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a body that is wanted only after the answer isn't asked for any more", async () => {
  await using server = await startHttp({
    serve(exchange) {
      send(exchange, { status: 401 });
      // As a journal does that keeps the body of what was refused.
      Promise.resolve(exchange.body.read(100)).catch(() => undefined);
    },
  });
  const head = "POST / HTTP/1.1\r\nhost: here\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n";
  const answer = await answered(server.url, head);
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).not.toContain("100 Continue");
});
