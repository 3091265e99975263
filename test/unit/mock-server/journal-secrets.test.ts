import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

const secret = "a-value-that-nobody-may-see";

test.each(["x-service-key", "x-auth-token", "api-key", "x-amz-security-token", "x-goog-api-key", "cookie"])(
  "the header %s isn't in the journal",
  async (name) => {
    await using mock = await startForTest();
    await mock.cloud("GET", "/v2/deployments", undefined, { [name]: secret });
    expect(JSON.stringify([mock.requests(), mock.fixture()])).not.toContain(secret);
  },
);

test("the credentials of a repository's address aren't in the journal, encoded or not", async () => {
  await using mock = await startForTest();
  const source_config = { repo_url: `https://user:${secret}@github.com/acme/agents`, build_on_push: false };
  await mock.cloud("POST", "/v2/deployments", githubBody({ source_config }));
  expect(JSON.stringify([mock.requests(), mock.fixture()])).not.toContain(secret);
});

test.each(["openai_api_key", "api-key", "auth_token", "password", "aws_secret_access_key"])(
  "a value configured as %s isn't in the journal",
  async (name) => {
    await using mock = await startForTest();
    const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
    const run = { assistant_id: "chat", input: { messages: [] }, config: { configurable: { [name]: secret } } };
    await mock.cloud("POST", `/agents/${body.id}/threads`, { metadata: { kept: "visible" } });
    await mock.cloud("POST", `/agents/${body.id}/runs`, run);
    const journal = JSON.stringify([mock.requests(), mock.fixture()]);
    expect(journal).not.toContain(secret);
    expect(journal).toContain("visible");
  },
);

test("a header named like an inherited object property is read correctly", async () => {
  await using mock = await startForTest();
  await mock.cloud("GET", "/v2/deployments", undefined, { constructor: "one" });
  expect(mock.requests().at(-1)?.request.headers.constructor).toBe("one");
});
