import { request } from "node:http";
import { expect, test } from "vitest";
import { guardAdmin } from "../../../mock-server/admin/admin-guard.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

/** The status of a GET with headers that fetch doesn't allow. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("health and info need no key and reveal no secret", async () => {
  await using mock = await startForTest({ apiKeys: { "key-of-alpha": ["one"], "key-of-beta": ["two"] } });
  expect(await (await fetch(`${mock.url}/_mock/health`)).json()).toEqual({ ok: true });
  const text = await (await fetch(`${mock.url}/_mock/info`)).text();
  expect(JSON.parse(text)).toMatchObject({
    editions: { cloud: mock.url, "self-hosted": mock.selfHostedUrl },
    default_workspace_id: "one",
    api_keys: 2,
    transitions: { mode: "immediate", rules: [] },
    clock: { now: "2026-01-01T00:00:00.000Z", frozen: true },
  });
  expect(text).not.toContain("key-of");
});

test("the admin API responds to loopback names only, and not to pages of other sites", async () => {
  await using mock = await startForTest();
  const url = `${mock.url}/_mock/info`;
  expect(await statusWith(url, { host: "rebound.example" })).toBe(403);
  expect(await statusWith(url, { origin: "https://page.example" })).toBe(403);
  expect(await statusWith(url, { origin: "null" })).toBe(403);
  expect(await statusWith(url, { host: "localhost:8124", origin: "http://localhost:3000" })).toBe(200);
  const response = await fetch(url);
  expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("the admin API needs its token where one is set", async () => {
  await using mock = await startForTest({ adminToken: "admin-token" });
  const status = async (authorization: string) =>
    (await fetch(`${mock.url}/_mock/info`, { headers: { authorization } })).status;
  expect(await status("Bearer wrong")).toBe(403);
  expect(await status("Bearer admin-token")).toBe(200);
});

test("off loopback there is no admin API without a token", () => {
  const exchange = { header: () => undefined };
  expect(() => guardAdmin(exchange, false, undefined)).toThrow("needs a token");
});

test("the clock is frozen, advanced and resumed over HTTP", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  expect((await admin("POST", "/clock", { action: "freeze", at: "2026-06-01T00:00:00Z" })).body).toEqual({
    now: "2026-06-01T00:00:00.000Z",
    frozen: true,
  });
  expect((await admin("POST", "/clock", { action: "advance", by: "5m" })).body.now).toBe("2026-06-01T00:05:00.000Z");
  expect((await admin("POST", "/clock", { action: "resume" })).body.frozen).toBe(false);
  expect((await admin("GET", "/clock")).body.now).toMatch(/^2026-06-01T00:05/);
  expect(await admin("POST", "/clock", { action: "advance", by: "soon" })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "by"] }] },
  });
  expect((await admin("POST", "/clock", { action: "explode" })).status).toBe(422);
});

test("transitions are read and set over HTTP, and invalid parts are named", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  const rules = [{ name: "bad-*", fail: "BUILD_FAILED" }];
  expect((await admin("PUT", "/transitions", { mode: "time:1m", rules })).body).toEqual({ mode: "time:1m", rules });
  expect((await admin("GET", "/transitions")).body).toEqual({ mode: "time:1m", rules });
  expect((await admin("PUT", "/transitions", { mode: "sometime" })).status).toBe(422);
  expect(await admin("PUT", "/transitions", { rules: [{ name: "*", fail: "TIRED" }] })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "rules", 0, "fail"], type: "enum" }] },
  });
});

const emptyEffect = "the effect is empty: give latency, or one of status, html, reset, truncate, malformed, rate_limit";
const duration = "Input should be a duration such as 5s";

test.each<[method: string, path: string, body: unknown, problems: Record<string, string>]>([
  [
    "PUT",
    "faults",
    { rules: [{ effect: { reset: "middle" } }] },
    { "rules.0.effect.reset": "Input should be 'before' or 'after'" },
  ],
  ["POST", "faults", [{ effect: { reset: "middle" } }], { "0.effect.reset": "Input should be 'before' or 'after'" }],
  ["POST", "faults", [{ effect: { latency: true } }], { "0.effect.latency": duration }],
  ["POST", "faults", [{ effect: { latency: "soon" } }], { "0.effect.latency": duration }],
  ["POST", "faults", [{ effect: {} }], { "0.effect": emptyEffect }],
  ["POST", "faults", [{}], { "0.effect": "Field required" }],
  ["POST", "faults", { rules: "reset" }, { rules: "Input should be a valid list" }],
  ["POST", "faults", { effect: { status: 500 } }, { rules: "Field required", "": 'Unrecognized key: "effect"' }],
  [
    "POST",
    "faults",
    null,
    { "": "Input should be a valid list or a valid dictionary or object to extract fields from" },
  ],
  ["POST", "clock", { action: "advance", by: true }, { by: duration }],
  [
    "PUT",
    "transitions",
    { rules: [{ name: "a", durations: { BUILDING: [] } }] },
    { "rules.0.durations.BUILDING": duration },
  ],
  [
    "PUT",
    "transitions",
    { rules: [{ name: "a", active_delay: true }] },
    { "rules.0.active_delay": `${duration} or 'never'` },
  ],
])("%s %s of %j is refused with the allowed values", async (method, path, body, problems) => {
  await using mock = await startForTest();
  const response = await fetch(`${mock.url}/_mock/${path}`, { method, body: JSON.stringify(body) });
  expect(response.status).toBe(422);
  const { detail } = (await response.json()) as { detail: { loc: (string | number)[]; msg: string }[] };
  expect(Object.fromEntries(detail.map(({ loc, msg }) => [loc.slice(1).join("."), msg]))).toEqual(problems);
});

test("an unreadable admin request changes nothing and isn't a crash", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  expect((await admin("POST", "/push", "{")).status).toBe(422);
  expect((await admin("POST", "/push", { repo_url: "x" })).status).toBe(422);
  expect((await admin("POST", "/revisions/unknown/advance")).status).toBe(404);
  expect((await admin("POST", "/deployments/unknown/advance")).status).toBe(404);
  expect((await admin("PUT", "/faults", [{ effect: { status: 99 } }])).status).toBe(422);
});

test("a reset removes deployments, requests, faults and settings", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  mock.faults.add({ match: { path: "/nothing" }, effect: { status: 500 } });
  mock.transitions.set({ mode: "manual", rules: [{ name: "*" }] });
  await fetch(`${mock.url}/_mock/reset?confirm=true`, { method: "POST" });
  expect(mock.requests()).toEqual([]);
  expect(mock.faults.list()).toEqual([]);
  expect(mock.transitions.get()).toEqual({ mode: "immediate", rules: [] });
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toEqual([]);
});

test("the journal records requests and responses", async () => {
  await using mock = await startForTest();
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody(), { "x-tenant-id": "one" });
  await mock.cloud("GET", `/v2/deployments/${made.id}?x=1`, undefined, { "x-tenant-id": "two" });
  await mock.selfHosted("GET", "/v2/deployments");
  expect(mock.requests()).toMatchObject([
    {
      method: "POST",
      path: "/v2/deployments",
      operation: "create_deployment",
      tenant: "one",
      status: 201,
      time: "2026-01-01T00:00:00.000Z",
      request: { body: { name: "agent" } },
      response: { body: { id: made.id } },
    },
    { method: "GET", path: `/v2/deployments/${made.id}?x=1`, operation: "get_deployment", tenant: "two", status: 404 },
    { method: "GET", path: "/api-host/v2/deployments", operation: "list_deployments", status: 200 },
  ]);
});

test("the journal is filtered, counted and emptied", async () => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  await mock.cloud("POST", "/v2/deployments", githubBody());
  await mock.cloud("GET", "/v2/deployments");
  const admin = apiOf(`${mock.url}/_mock`);
  const count = async (query: string) => (await admin("GET", `/requests?${query}`)).body.count;
  expect(await count("")).toBe(3);
  expect(await count("method=post")).toBe(2);
  expect(await count("operation=list_deployments")).toBe(1);
  expect(await count("path=/v2/*&status=409")).toBe(1);
  expect(mock.requests({ path: "/v2/*", status: 201 })).toHaveLength(1);
  expect((await admin("DELETE", "/requests")).status).toBe(204);
  expect(await count("")).toBe(0);
});

test("the journal holds no secret in any form, accepted or refused", async () => {
  const secret = 'very "secret" välue/+';
  const refused = "refused-secret-value";
  await using mock = await startForTest({ apiKeys: { "the-api-key": ["one"] } });
  const headers = { "x-api-key": "the-api-key", authorization: "Bearer the-api-key" };
  await mock.cloud("POST", "/v2/deployments", githubBody({ secrets: [{ name: "A", value: secret }] }), headers);
  await mock.cloud(
    "POST",
    "/v2/deployments",
    githubBody({ name: 1, secrets: [{ name: "A", value: refused }] }),
    headers,
  );
  await mock.cloud("POST", "/v2/deployments", `{"secrets":[{"name":"A","value":"${refused}"}]`, headers);
  await mock.cloud("GET", `/v2/deployments?name=${encodeURIComponent(secret)}`, undefined, headers);
  await mock.cloud("GET", `/v2/deployments?name=${Buffer.from(secret).toString("base64")}`, undefined, headers);
  const journal = await (await fetch(`${mock.url}/_mock/requests`)).text();
  for (const value of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    refused,
    "the-api-key",
  ]) {
    expect(journal).not.toContain(value);
  }
  expect(journal).toContain("[redacted]");
});
