import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

test.each([
  ["GET", "/v2/deployments?agent_id=some-agent"],
  ["GET", "/v2/deployments?names=agent"],
  ["DELETE", "/v2/deployments?name=agent"],
  ["GET", "/v2/listeners?deployment=agent"],
  // The service has no filters here.
  ["GET", "/v2/auth/providers?provider_id=crm"],
])("%s %s is refused, so that nobody acts on unfiltered results", async (method, path) => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  const api = path.includes("listeners") ? mock.selfHosted : mock.cloud;
  const { status, body } = await api(method, path);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain("Extra inputs are not permitted");
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
});

test("a request with a key of several workspaces must name one", async () => {
  await using mock = await startForTest({ apiKeys: { key: ["first", "second"] } });
  const { status, body } = await mock.cloud("GET", "/v2/deployments", undefined, { "x-api-key": "key" });
  expect({ status, detail: body.detail }).toMatchObject({
    status: 403,
    detail: expect.stringContaining("requires workspace specification"),
  });
});
