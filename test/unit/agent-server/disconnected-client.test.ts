import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { until } from "../../kit/agent-server/agent.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

test("a request whose client disconnects in the middle of its body has no status in the journal and isn't a server error", async () => {
  await using mock = await startForTest();
  const socket = connect(Number(new URL(mock.url).port), "127.0.0.1");
  await once(socket, "connect");
  const head = "POST /v2/deployments HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\ncontent-length: 3000\r\n\r\n";
  await new Promise<void>((resolve) => socket.write(`${head}{"name":`, () => resolve()));
  socket.destroy();
  await until(async () => mock.requests().length > 0);
  expect(mock.requests()).toMatchObject([{ operation: "create_deployment", status: null, response: { body: null } }]);
  expect(mock.counts().byStatus).toEqual({ reset: 1 });
});
