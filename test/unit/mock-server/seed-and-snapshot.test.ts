import { expect, test } from "vitest";
import { apiOf, dockerBody, githubBody, startForTest } from "../../kit/mock-server/api.ts";

test("a seed makes many deployments, listeners and integrations at once", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  const made = await admin("POST", "/seed", {
    integrations: [{ id: "11111111-1111-4111-8111-111111111111", name: "acme", any_repository: true }],
    listeners: [{ compute_type: "k8s", compute_id: "cluster", compute_config: {} }],
    deployments: [
      { name: "agent-{n}", source: "internal_source", count: 30 },
      { ...dockerBody({ name: "image" }), tenant_id: "two" },
    ],
  });
  expect(made).toMatchObject({ status: 201, body: { integrations: 1, listeners: [{ compute_id: "cluster" }] } });
  expect(made.body.deployments).toHaveLength(31);
  const { body: page } = await mock.cloud("GET", "/v2/deployments?limit=100&name_contains=agent-");
  expect(page.resources).toHaveLength(30);
  const { body: other } = await mock.selfHosted("GET", "/v2/deployments", undefined, { "x-tenant-id": "two" });
  expect(other.resources[0].name).toBe("image");
  expect((await mock.cloud("GET", "/v1/integrations/github/install")).body[0].name).toBe("acme");
});

test("a seed with a refused part is named and leaves nothing behind", async () => {
  await using mock = await startForTest();
  const admin = apiOf(`${mock.url}/_mock`);
  const twice = { name: "agent", source: "internal_source" };
  expect(await admin("POST", "/seed", { deployments: [twice, twice] })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^deployments\[1\]: .*already exists/) },
  });
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toEqual([]);
  expect(await admin("POST", "/seed", { deployments: [{ ...twice, count: 2 }] })).toMatchObject({ status: 400 });
  expect((await admin("POST", "/seed", { deployments: [{ ...twice, colour: "red" }] })).status).toBe(422);
  expect((await admin("POST", "/seed", { deplyments: [] })).status).toBe(422);
});

test("a snapshot restores everything, also into another server", async () => {
  await using mock = await startForTest({ transitions: "manual" });
  const secrets = [{ name: "TOKEN", value: "the-secret-value" }];
  const { body: made } = await mock.cloud("POST", "/v2/deployments", githubBody({ secrets }));
  await mock.push({ repoUrl: "https://github.com/acme/agents", ref: "main", commit: "abc" });
  mock.faults.add({ id: "slow", match: { path: "/nothing" }, effect: { status: 500 } });
  mock.transitions.set({ rules: [{ name: "bad-*", fail: "BUILD_FAILED" }] });
  const snapshot = await mock.snapshot.get();
  const before = (await mock.cloud("GET", `/v2/deployments/${made.id}`)).body;
  await mock.reset({ confirm: true });
  await mock.cloud("POST", "/v2/deployments", githubBody({ name: "another" }));
  await mock.snapshot.put(snapshot, { confirm: true });
  expect((await mock.cloud("GET", `/v2/deployments/${made.id}`)).body).toEqual(before);
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
  expect(mock.faults.list()).toMatchObject([{ id: "slow", matched: 0 }]);
  expect(mock.transitions.get()).toEqual({ mode: "manual", rules: [{ name: "bad-*", fail: "BUILD_FAILED" }] });

  await using second = await startForTest();
  await second.snapshot.put(JSON.parse(JSON.stringify(snapshot)), { confirm: true });
  expect((await second.cloud("GET", `/v2/deployments/${made.id}`)).body.secrets).toEqual(secrets);
  const newer = await second.cloud("POST", "/v2/deployments", githubBody({ name: "newer" }));
  const names = (await second.cloud("GET", "/v2/deployments")).body.resources.map(({ name }: { name: string }) => name);
  expect([newer.status, names]).toEqual([201, ["newer", "agent"]]);
  expect(JSON.stringify(second.requests())).not.toContain("the-secret-value");
});

test("a snapshot over HTTP is redacted unless secrets are requested", async () => {
  await using mock = await startForTest();
  const secrets = [
    { name: "TOKEN", value: "the-secret-value" },
    { name: "PIN", value: "777" },
  ];
  await mock.cloud("POST", "/v2/deployments", githubBody({ secrets }));
  const provider = {
    provider_id: "p",
    name: "P",
    client_id: "c",
    client_secret: "client-secret",
    auth_url: "http://127.0.0.1/a",
    token_url: "http://127.0.0.1/t",
  };
  await mock.cloud("POST", "/v2/auth/providers", provider);
  const redacted = await (await fetch(`${mock.url}/_mock/snapshot`)).text();
  for (const value of ["the-secret-value", '"777"', "client-secret"]) expect(redacted).not.toContain(value);
  const whole = await (await fetch(`${mock.url}/_mock/snapshot?secrets=include`)).text();
  for (const value of ["the-secret-value", '"777"', "client-secret"]) expect(whole).toContain(value);
  expect((await fetch(`${mock.url}/_mock/snapshot?confirm=true`, { method: "PUT", body: whole })).status).toBe(204);
});

test.each([
  ["nothing", {}],
  ["another version", { version: 2 }],
  ["content of another shape", { version: 1, faults: [], transitions: {}, content: { deployments: [{ id: 1 }] } }],
])("a snapshot with %s is refused and changes nothing", async (_, snapshot) => {
  await using mock = await startForTest();
  await mock.cloud("POST", "/v2/deployments", githubBody());
  expect((await apiOf(`${mock.url}/_mock`)("PUT", "/snapshot", snapshot)).status).toBe(422);
  expect((await mock.cloud("GET", "/v2/deployments")).body.resources).toHaveLength(1);
});
