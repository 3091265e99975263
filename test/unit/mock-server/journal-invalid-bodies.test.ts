import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("secrets of a request with invalid fields aren't in the journal", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: { TOKEN: "value-of-a-map" } }));
  await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: "value-of-a-text" }));
  await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: ["value-of-a-list"] }));
  await mock.cloud("POST", "/v2/auth/providers", { client_secret: { text: "value-of-an-object" } });
  const { body } = await mock.cloud("GET", "/_mock/requests");
  expect(body.requests.map(({ status }: { status: number }) => status)).toEqual([422, 422, 422, 422]);
  expect(JSON.stringify(body)).not.toContain("value-of-");
});
