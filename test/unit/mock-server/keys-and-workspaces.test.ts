import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

const list = "/v2/deployments";

test("a request without a key gets 401, and any non-empty key is valid, also as a bearer token", async () => {
  await using mock = await startForTest();
  const none = await mock.cloud("GET", list, undefined, { "x-api-key": "" });
  expect(none).toMatchObject({ status: 401, body: { detail: expect.any(String) } });
  expect((await mock.cloud("GET", list)).status).toBe(200);
  const bearer = { "x-api-key": "", authorization: "Bearer token" };
  expect((await mock.cloud("GET", list, undefined, bearer)).status).toBe(200);
});

test("with configured keys, an unknown key gets 401 and another workspace 403", async () => {
  await using mock = await startForTest({ apiKeys: { alpha: ["one", "two"], beta: ["three"] } });
  const status = async (key: string, tenant?: string) => {
    const headers: Record<string, string> = { "x-api-key": key };
    if (tenant !== undefined) headers["x-tenant-id"] = tenant;
    return (await mock.cloud("GET", list, undefined, headers)).status;
  };
  expect(await status("gamma")).toBe(401);
  expect(await status("alpha")).toBe(403);
  expect(await status("beta")).toBe(200);
  expect(await status("alpha", "two")).toBe(200);
  expect(await status("alpha", "three")).toBe(403);
  expect(await status("beta", "three")).toBe(200);
});

test("a request without a workspace is for the only one of its key", async () => {
  await using mock = await startForTest({ apiKeys: { alpha: ["one"] } });
  const { body } = await mock.cloud("POST", list, githubBody(), { "x-api-key": "alpha" });
  expect(body.tenant_id).toBe("one");
});

test("a strict server requires the workspace", async () => {
  await using mock = await startForTest({ strict: true });
  const missing = await mock.cloud("GET", list);
  expect(missing).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["header", "X-Tenant-Id"], type: "missing" }] },
  });
  expect((await mock.cloud("GET", list, undefined, { "x-tenant-id": "one" })).status).toBe(200);
});

test("every operation on another workspace's deployment responds with 404", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", list, githubBody(), { "x-tenant-id": "one" });
  const path = `${list}/${body.id}`;
  const revision = `${path}/revisions/${body.latest_revision_id}`;
  const foreign = { "x-tenant-id": "two" };
  const attempts: [string, string, unknown?][] = [
    ["GET", path],
    ["PATCH", path, {}],
    ["DELETE", path],
    ["GET", `${path}/revisions`],
    ["POST", `${path}/revisions`],
    ["GET", revision],
    ["POST", `${revision}/redeploy`],
    ["POST", `${revision}/interrupt`],
    ["POST", `/v1/projects/${body.id}/deploy_logs`, {}],
  ];
  for (const [method, target, sent] of attempts) {
    const response = await mock.cloud(method, target, sent, foreign);
    expect(response, `${method} ${target}`).toMatchObject({
      status: 404,
      body: { detail: `Deployment ID ${body.id} not found.` },
    });
  }
  expect((await mock.cloud("GET", list, undefined, foreign)).body.resources).toEqual([]);
});

test("an agent server accepts only keys of its deployment's workspace, except on its open paths", async () => {
  await using mock = await startForTest({ apiKeys: { alpha: ["one"], beta: ["two"] } });
  const { body } = await mock.cloud("POST", list, githubBody(), { "x-api-key": "alpha" });
  const status = async (path: string, key: string) =>
    (await fetch(`${mock.url}/agents/${body.id}${path}`, { headers: { "x-api-key": key } })).status;
  expect(await status("/threads", "")).toBe(401);
  expect(await status("/threads", "beta")).toBe(403);
  expect(await status("/threads", "alpha")).toBe(200);
  for (const path of ["/ok", "/info", "/docs", "/openapi.json", "/docs/swagger-ui.css"])
    expect(await status(path, ""), path).toBe(200);
});
