import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";
import { startForTest } from "../../kit/mock-server/api.ts";

const broken = Buffer.concat([
  Buffer.from('{"name":"a","metadata":{"a":"'),
  Buffer.from([0xff, 0xfe]),
  Buffer.from('"}}'),
]);
const request = { method: "POST", body: broken, headers: { "x-api-key": "any", "content-type": "application/json" } };
const refusal = { detail: "The body is not valid UTF-8." };

test("a body that isn't UTF-8 is refused by the control plane and by agent servers", async () => {
  await using mock = await startForTest();
  await using agent = await startAgent();
  for (const url of [`${mock.url}/v2/deployments`, `${agent.url}/threads`]) {
    const response = await fetch(url, request);
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 400, body: refusal });
  }
});
