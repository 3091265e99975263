import { expect, test } from "vitest";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const own = "11111111-1111-4111-8111-111111111111";
const forge = "22222222-2222-4222-8222-222222222222";
const seeds = [
  { id: own, name: "acme", tenantId: "one", repositories: [{ url: "https://github.com/acme/agents.git" }] },
  { id: forge, name: "acme-forge", kind: "forge" as const, anyRepository: true },
];

const bodyWith = (integrationId: string, repoUrl: string) =>
  githubBody({ source_config: { integration_id: integrationId, repo_url: repoUrl } });

test("a server without configured integrations has a default one, which replaces any unknown one", async () => {
  await using mock = await startForTest();
  const { body: info } = await apiOf(mock.url)("GET", "/_mock/info");
  const { body: listed } = await mock.cloud("GET", "/v1/integrations/github/install");
  expect(listed).toEqual([{ id: info.default_integration_id, installation_id: 1, name: "default" }]);
  const made = await mock.cloud("POST", "/v2/deployments", bodyWith("of-the-hosted-service", "https://github.com/x/y"));
  expect(made.status).toBe(201);
});

test("strict mode requires an existing integration, such as the default one", async () => {
  await using mock = await startForTest({ strict: true });
  const tenant = { "x-tenant-id": "one" };
  const { body: info } = await apiOf(mock.url)("GET", "/_mock/info");
  const make = (id: string) =>
    mock.cloud("POST", "/v2/deployments", bodyWith(id, "https://github.com/any/thing"), tenant);
  expect(await make("unknown")).toMatchObject({ status: 400, body: { detail: expect.stringContaining("unknown") } });
  expect((await make(info.default_integration_id)).status).toBe(201);
});

test("configured integrations are those of their workspace and kind", async () => {
  await using mock = await startForTest({ integrations: seeds });
  const list = async (path: string, tenant: string) =>
    (await mock.cloud("GET", path, undefined, { "x-tenant-id": tenant })).body.map(({ id }: { id: string }) => id);
  expect(await list("/v1/integrations/github/install", "one")).toEqual([own]);
  expect(await list("/v1/integrations/github/install", "two")).toEqual([]);
  expect(await list("/v1/integrations/forge/github/install", "two")).toEqual([forge]);
  expect((await mock.selfHosted("GET", "/v1/integrations/github/install")).body).toEqual([]);
});

test("the repositories of an integration are listed for its workspace and kind only", async () => {
  await using mock = await startForTest({ integrations: seeds });
  const repositories = (kind: string, id: string, tenant = "one") =>
    mock.cloud("GET", `/v1/integrations/${kind}/${id}/repos`, undefined, { "x-tenant-id": tenant });
  expect((await repositories("github", own)).body).toEqual([
    {
      host_integration_id: own,
      id: 1000,
      name: "agents",
      owner: "acme",
      url: "https://github.com/acme/agents.git",
      default_branch: "main",
    },
  ]);
  expect((await repositories("github", own, "two")).status).toBe(404);
  expect((await repositories("github", forge)).status).toBe(404);
  expect((await repositories("github", "nonsense")).status).toBe(422);
});

test.each([
  ["an integration of nobody", "33333333-3333-4333-8333-333333333333", "https://github.com/acme/agents", "one", 400],
  ["an integration of another workspace", own, "https://github.com/acme/agents", "two", 400],
  ["a repository that it can't read", own, "https://github.com/acme/secret", "one", 400],
  ["its repository, spelled otherwise", own.toUpperCase(), "https://GitHub.com/acme/agents/", "one", 201],
  ["any repository, where that is allowed", forge, "https://github.com/any/thing", "two", 201],
])("a deployment with %s", async (_, integrationId, repoUrl, tenant, status) => {
  await using mock = await startForTest({ integrations: seeds });
  const response = await mock.cloud("POST", "/v2/deployments", bodyWith(integrationId, repoUrl), {
    "x-tenant-id": tenant,
  });
  expect(response.status).toBe(status);
});

test("a reset brings the configured integrations back", async () => {
  await using mock = await startForTest({ integrations: seeds });
  await mock.reset({ confirm: true });
  const { body } = await mock.cloud("GET", "/v1/integrations/forge/github/install");
  expect(body).toHaveLength(1);
});
