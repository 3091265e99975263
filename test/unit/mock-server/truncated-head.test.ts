import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";
import { conversation } from "../../kit/mock-server/wire.ts";

test("a truncated response to HEAD has no body", async () => {
  await using mock = await startForTest();
  mock.faults.add({ effect: { truncate: true } });
  const response = await conversation(
    mock.url,
    "HEAD /v2/deployments HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\n\r\n",
  );
  expect(response).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/s);
});
