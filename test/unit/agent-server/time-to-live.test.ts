import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";

test("a time to live beyond the last date is refused for threads and items", async () => {
  await using agent = await startAgent();
  const minutes = 5e16;
  const { status, body } = await agent.call("POST", "/threads", { ttl: minutes });
  expect({ status, detail: body.detail }).toEqual({ status: 422, detail: expect.stringContaining("ttl") });
  expect((await agent.call("POST", "/threads", { ttl: { ttl: minutes } })).status).toBe(422);
  const item = { namespace: ["a"], key: "k", value: {}, ttl: minutes };
  expect((await agent.call("PUT", "/store/items", item)).status).toBe(422);
  expect(agent.defects).toEqual([]);
});
