import { expect, test } from "vitest";
import type { DeploymentArgs } from "../../../provider/deployment.ts";
import {
  elsewhere,
  type Ground,
  platform,
  program,
  startGround,
  startLogs,
  summary,
} from "../../kit/provider/ground.ts";

const repositories = [{ url: "https://github.com/acme/agent" }];
const first = { id: "11111111-1111-4111-8111-111111111111", name: "other", repositories };
const own = { id: "22222222-2222-4222-8222-222222222222", name: "acme", repositories };

const up = async ({ engine }: Ground, changes: Partial<DeploymentArgs>) => summary(await engine.up(program(changes)));

const lookups = ({ mock }: Ground) => mock.requests({ path: "/v1/integrations/*" }).length;

async function usedIntegration({ mock }: Ground): Promise<unknown> {
  const [deployment] = (await platform(mock)).deployments;
  return deployment?.sourceConfig.integration_id;
}

test("a create finds the integration, and no later run looks for it or replaces the deployment", async () => {
  await using ground = await startGround({ mock: { integrations: [first, own] } });
  const auto = { integration: "auto" } as const;
  await ground.engine.preview(program(auto));
  expect(lookups(ground)).toBe(0);
  expect(await up(ground, auto)).toEqual(["create"]);
  expect(await usedIntegration(ground)).toBe(own.id);
  const searched = lookups(ground);
  expect(searched).toBeGreaterThan(0);

  expect(await up(ground, auto)).toEqual(["same"]);
  expect(await up(ground, { ...auto, env: { A: "1" } })).toEqual(["update"]);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(await up(ground, { ...auto, env: { A: "1" } })).toEqual(["same"]);
  expect(await up(ground, { env: { A: "1" } })).toEqual(["update"]);
  expect(lookups(ground)).toBe(searched);
  expect(await usedIntegration(ground)).toBe(own.id);
});

test("an adopted deployment keeps the integration that it has", async () => {
  await using ground = await startGround({ mock: { integrations: [first, own] } });
  await elsewhere(ground.mock, "POST", "/v2/deployments", {
    name: "agent",
    source: "github",
    source_config: { repo_url: "https://github.com/acme/agent", integration_id: first.id, build_on_push: false },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  expect(await up(ground, { adopt: true, integration: "auto" })).toEqual(["create"]);
  expect(await usedIntegration(ground)).toBe(first.id);
  expect(lookups(ground)).toBe(0);
});

test("without an integration for the repository, the deployment is created without one, and a refusal is explained", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({
    mock: { integrations: [{ ...own, repositories: [] }] },
    logs: logs.address,
  });
  const said = (severity: string) =>
    logs.lines.filter((line) => line.severity === severity).map(({ message }) => message);
  const missing = expect.stringContaining(
    "The workspace's only integration doesn't list https://github.com/acme/agent",
  );
  ground.mock.faults.add({
    match: { method: "POST", path: "/v2/deployments" },
    times: 1,
    effect: { status: 400, body: { detail: "no integration" } },
  });
  expect(await up(ground, { integration: "auto" })).toEqual([expect.stringContaining("responded with 400")]);
  expect(said("warning")).toEqual([missing]);
  expect(await up(ground, { integration: "auto" })).toEqual(["create"]);
  expect(said("info")).toEqual(expect.arrayContaining([missing]));
  expect(said("warning")).toEqual([missing]);
});

test("`integration` must be auto or absent, and requires a repository and no id", async () => {
  await using ground = await startGround();
  const refused = async (changes: Record<string, unknown>, reason: string) =>
    expect(await up(ground, changes)).toEqual([`create: ${reason}`]);
  await refused({ integration: "acme" }, 'integration must be "auto".');
  await refused(
    { integration: "auto", sourceConfig: { integrationId: own.id } },
    "integration is declared together with sourceConfig.integrationId. Keep one of the two.",
  );
  await refused(
    {
      integration: "auto",
      source: "internal_source",
      sourceConfig: { repoUrl: undefined },
      sourceRevisionConfig: { sourceTarballPath: "a.tar.gz" },
    },
    "integration needs sourceConfig.repoUrl, the repository to find the integration of.",
  );
});
