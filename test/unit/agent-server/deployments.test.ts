import { expect, test } from "vitest";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const hello = { assistant_id: "agent", input: { messages: "hello" } };

test("a deployment serves its graphs under its own URL, with the keys of its workspace only", async () => {
  await using mock = await startForTest({ apiKeys: { alpha: ["one"], beta: ["two"] } });
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody(), { "x-api-key": "alpha" });
  const agent = apiOf(body.source_config.custom_url);
  const status = async (headers: Record<string, string>) =>
    (await agent("POST", "/runs/wait", hello, { "x-api-key": "", ...headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ "x-api-key": "gamma" })).toBe(401);
  expect(await status({ "x-api-key": "beta" })).toBe(403);
  expect(await status({ authorization: "Bearer alpha" })).toBe(200);
  expect(await status({ "x-api-key": "alpha" })).toBe(200);
  const preflight = await agent("OPTIONS", "/threads", undefined, { "x-api-key": "" });
  expect(preflight.status).toBe(204);
});

test("deployments share nothing, and a new revision keeps its deployment's data", async () => {
  await using mock = await startForTest();
  const create = async (name: string) => (await mock.cloud("POST", "/v2/deployments", githubBody({ name }))).body;
  const [first, second] = [await create("first"), await create("second")];
  const agent = apiOf(first.source_config.custom_url);
  const { body: thread } = await agent("POST", "/threads");
  expect((await apiOf(second.source_config.custom_url)("GET", `/threads/${thread.thread_id}`)).status).toBe(404);
  const change = { source_revision_config: { repo_ref: "other" } };
  const { body: changed } = await mock.cloud("PATCH", `/v2/deployments/${first.id}`, change);
  expect((await agent("GET", "/info")).body.host).toMatchObject({
    project_id: first.id,
    revision_id: changed.latest_revision_id,
  });
  expect((await agent("GET", `/threads/${thread.thread_id}`)).status).toBe(200);
});

test("a deployment's agent server is removed with it, and by a reset", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const agent = apiOf(body.source_config.custom_url);
  await agent("POST", "/runs", { assistant_id: "delay", input: {} });
  await mock.cloud("DELETE", `/v2/deployments/${body.id}`);
  expect((await agent("GET", "/threads")).status).toBe(404);
  await mock.reset({ confirm: true });
  expect((await agent("GET", "/ok")).status).toBe(404);
});

test("a closed server leaves no run and no stream behind", async () => {
  const mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const response = await fetch(`${body.source_config.custom_url}/runs/stream`, {
    method: "POST",
    headers: { "x-api-key": "key" },
    body: JSON.stringify({ assistant_id: "delay", input: {} }),
  });
  await mock.close();
  await response.text().catch(() => undefined);
  await expect(fetch(mock.url)).rejects.toThrow();
});
