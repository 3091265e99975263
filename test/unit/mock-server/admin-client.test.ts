import nock from "nock";
import { test as base, expect } from "vitest";
import { connectMockServer, mockServerFixture } from "../../../mock-server/index.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const test = base.extend({ mock: mockServerFixture({ transitions: "manual" }) });

test("a fixture gives each test a server of its own", async ({ mock }) => {
  const admin = connectMockServer(mock.url);
  expect(await admin.health()).toEqual({ ok: true });
  expect(await admin.info()).toMatchObject({ url: mock.url, transitions: { mode: "manual" } });
  expect((await admin.info()).oauth).toEqual((await mock.info()).oauth);
});

test("a server in another process is controlled through the same names", async ({ mock }) => {
  const admin = connectMockServer(`${mock.url}/`);
  const api = apiOf(mock.url);
  await admin.clock.freeze(new Date("2026-01-01T00:00:00Z"));
  expect(await admin.clock.advance("5m")).toEqual({ now: "2026-01-01T00:05:00.000Z", frozen: true });
  expect((await admin.clock.resume()).frozen).toBe(false);
  const { body: made } = await api("POST", "/v2/deployments", githubBody());
  expect((await admin.revisions.advance(made.latest_revision_id, "DEPLOYED")).status).toBe("DEPLOYED");
  expect(await admin.push({ repoUrl: "https://github.com/acme/agents", ref: "main", commit: "c" })).toEqual([]);
  const [rule] = await admin.faults.add({ match: { operation: "get_deployment" }, times: 1, effect: { status: 503 } });
  expect((await api("GET", `/v2/deployments/${made.id}`)).status).toBe(503);
  expect(await admin.faults.list()).toMatchObject([{ id: rule?.id, matched: 1, happened: 1 }]);
  await admin.faults.remove(rule?.id as string);
  expect(await admin.faults.list()).toEqual([]);
  expect(await admin.requests({ status: 503 })).toHaveLength(1);
  expect(await admin.counts()).toMatchObject({
    total: 2,
    byOperation: { create_deployment: 1, get_deployment: 1 },
    byStatus: { 201: 1, 503: 1 },
  });
  const snapshot = await admin.snapshot.get();
  await admin.transitions.set({ mode: "immediate" });
  await admin.reset();
  await admin.snapshot.put(snapshot);
  expect((await api("GET", `/v2/deployments/${made.id}`)).status).toBe(200);
  expect(await admin.seed({ deployments: [{ name: "more", source: "internal_source" }] })).toMatchObject({
    deployments: [{ name: "more" }],
  });
});

test("names are camelCase in code and snake_case over the wire, and the user's own names stay unchanged", async ({
  mock,
}) => {
  const admin = connectMockServer(mock.url);
  const api = apiOf(`${mock.url}/_mock`);
  const rules = [
    { name: "a", activeDelay: "1m" as const, logLines: ["some_line"], durations: { AWAITING_BUILD: "1s" as const } },
  ];
  expect(await admin.transitions.set({ rules })).toMatchObject({ rules });
  expect((await api("GET", "/transitions")).body.rules).toEqual([
    { name: "a", active_delay: "1m", log_lines: ["some_line"], durations: { AWAITING_BUILD: "1s" } },
  ]);
  const effects = [{ rateLimit: { requests: 5 } }, { status: 500, body: { retryAfter: 1, error_code: 2 } }];
  await admin.faults.replace(effects.map((effect) => ({ match: { path: "/nowhere" }, effect })));
  expect((await admin.faults.list()).map(({ effect }) => effect)).toEqual(effects);
  expect((await api("GET", "/faults")).body.rules.map(({ effect }: { effect: unknown }) => effect)).toEqual([
    { rate_limit: { requests: 5 } },
    effects[1],
  ]);
  expect((await api("PUT", "/transitions", { rules: [{ name: "a", logLines: [] }] })).status).toBe(422);
  const integration = { id: "11111111-1111-4111-8111-111111111111", name: "acme", anyRepository: true };
  expect(await admin.seed({ integrations: [integration] })).toMatchObject({ integrations: 1 });
  expect((await admin.info()).defaultIntegrationId).toBeNull();
});

test("a refusal of the server is an error with the request and the reason", async ({ mock }) => {
  const admin = connectMockServer(mock.url);
  await expect(admin.faults.add({ effect: {} })).rejects.toMatchObject({
    name: "MockAdminError",
    status: 422,
    message: expect.stringContaining("empty"),
  });
  await expect(admin.faults.remove("unknown")).rejects.toMatchObject({ status: 404 });
});

test("a token is sent to a server that needs one", async () => {
  await using mock = await startForTest({ adminToken: "admin-token" });
  await expect(connectMockServer(mock.url).info()).rejects.toMatchObject({ status: 403 });
  expect(await connectMockServer(mock.url, { token: "admin-token" }).info()).toMatchObject({ url: mock.url });
});

test("unmatched requests can be selected", async ({ mock }) => {
  const api = apiOf(mock.url);
  await api("GET", "/v2/deployments");
  await api("GET", "/v2/deplyments");
  await api("PUT", "/v2/deployments");
  await api("GET", "/v2/deployments/99999999-9999-4999-8999-999999999999");
  expect(mock.requests({ unmatched: true }).map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v2/deplyments",
    "PUT /v2/deployments",
  ]);
  expect(mock.counts().unmatched).toBe(2);
});

test("the journal is filtered by workspace and time, and refuses unknown filters", async ({ mock }) => {
  const api = apiOf(mock.url);
  mock.clock.freeze(Date.UTC(2026, 0, 1));
  await api("GET", "/v2/deployments", undefined, { "x-tenant-id": "one" });
  mock.clock.advance("1m");
  await api("GET", "/v2/deployments", undefined, { "x-tenant-id": "two" });
  const admin = connectMockServer(mock.url);
  expect(await admin.requests({ tenant: "one" })).toHaveLength(1);
  expect(await admin.requests({ since: "2026-01-01T00:00:30Z" })).toMatchObject([{ tenant: "two" }]);
  for (const query of ["colour=red", "status=many", "since=yesterday", "unmatched=maybe"]) {
    expect((await api("GET", `/_mock/requests?${query}`)).status).toBe(422);
  }
});

test("an exported journal replaces the server in a test", async () => {
  const mock = await startForTest();
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody());
  await mock.cloud("GET", `/v2/deployments/${made.id}`);
  const fixture = await connectMockServer(mock.url).fixture({ method: "GET" });
  await mock.close();
  nock.define(fixture as unknown as nock.Definition[]);
  const response = await fetch(`${mock.url}/v2/deployments/${made.id}`);
  expect([response.status, ((await response.json()) as { name: string }).name]).toEqual([200, "agent"]);
  nock.cleanAll();
  nock.restore();
});

test.each([
  ["two answers", { status: 500, reset: "before" as const }, "exclude each other"],
  ["a body without a status", { body: {} }, "body goes with status"],
  ["a page and a body", { html: "<p>", body: {}, status: 502 }, "not with html"],
  ["headers without an answer", { headers: { a: "b" } }, "headers go with"],
  ["a 204 with a body", { status: 204, body: {} }, "has no body"],
  ["two ways to break the answer", { truncate: true as const, malformed: true as const }, "exclude each other"],
  ["no effect", {}, "empty"],
])("a fault with %s is refused", async (_, effect, reason) => {
  await using mock = await startForTest();
  const response = await apiOf(`${mock.url}/_mock`)("PUT", "/faults", [{ effect }]);
  expect([response.status, JSON.stringify(response.body)]).toEqual([422, expect.stringContaining(reason)]);
  expect(() => mock.faults.add({ effect })).toThrow(reason);
});

test("two fault rules can't have the same id", async () => {
  await using mock = await startForTest();
  const rule = { id: "same", effect: { status: 500 } };
  expect((await apiOf(`${mock.url}/_mock`)("PUT", "/faults", [rule, rule])).status).toBe(400);
  expect(mock.faults.list()).toEqual([]);
});
