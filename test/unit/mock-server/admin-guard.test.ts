import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("a webhook that is sent to the admin API does nothing there", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  for (const host of [
    mock.url,
    mock.url.replace("127.0.0.1", "localhost"),
    mock.url.replace("127.0.0.1", "127.0.0.2"),
  ]) {
    const run = { assistant_id: "chat", input: { messages: [] }, webhook: `${host}/_mock/reset?confirm=true` };
    await mock.cloud("POST", `/agents/${body.id}/runs/wait`, run);
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
});

test("an OAuth provider whose token address is the admin API does nothing there", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  await mock.cloud("POST", "/v2/auth/providers", {
    provider_id: "evil",
    name: "Evil",
    client_id: "id",
    client_secret: "secret-of-the-client",
    auth_url: `${mock.url}/oauth/authorize`,
    token_url: `${mock.url}/_mock/reset?confirm=true`,
  });
  const authentication = { provider: "evil", scopes: [], user_id: "alice" };
  const { url } = (await mock.cloud("POST", "/v2/auth/authenticate", authentication)).body;
  const state = new URL(url).searchParams.get("state");
  const callback = new URL(new URL(url).searchParams.get("redirect_uri") as string);
  callback.search = new URLSearchParams({ code: "any", state: state as string }).toString();
  await fetch(callback);
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
});

test("a page of another site can't use the admin API, whatever its browser sends as Origin", async () => {
  await using mock = await startForTest();
  const response = await fetch(`${mock.url}/_mock/info`, { headers: { "sec-fetch-site": "cross-site" } });
  expect(response.status).toBe(403);
});
