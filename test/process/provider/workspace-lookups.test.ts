import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import {
  getIntegrations,
  getIntegrationsOutput,
  getRepositories,
  getRepositoriesOutput,
} from "../../../provider/get-integrations.ts";
import { getRevisions, getRevisionsOutput } from "../../../provider/get-revisions.ts";
import { Provider } from "../../../provider/provider.ts";
import { apiKey, type Ground, platform, program, startGround } from "../../kit/provider/ground.ts";

const nowhere = "00000000-0000-4000-8000-00000000abcd";
const acme = {
  id: "11111111-1111-4111-8111-111111111111",
  name: "Acme",
  repositories: [{ url: "https://github.com/acme/agent" }, { url: "https://github.com/acme/tools" }],
};
const other = { id: "22222222-2222-4222-8222-222222222222", name: "other", repositories: [] };

afterEach(() => vi.unstubAllEnvs());

async function startWithIntegrations(): Promise<Ground> {
  const ground = await startGround({ mock: { integrations: [other, acme] } });
  vi.stubEnv("GRAPHDEPLOY_BASE_URL", ground.mock.url);
  vi.stubEnv("GRAPHDEPLOY_API_KEY", apiKey);
  return ground;
}

/** The value of an output. It never settles if a preview doesn't know it. */
const settled = <Value>(output: pulumi.Output<Value>) =>
  new Promise<Value>((resolve) => {
    output.apply(resolve);
  });

test("the integrations of the workspace are listed, also those of one account, and their repositories", async () => {
  await using _ground = await startWithIntegrations();
  const both = [
    { id: other.id, name: "other" },
    { id: acme.id, name: "Acme" },
  ];
  expect(await getIntegrations()).toEqual({ integrations: both });
  expect(await getIntegrations({ name: "acme" })).toEqual({ integrations: [both[1]] });
  expect(await settled(getIntegrationsOutput({ name: pulumi.output("nobody") }))).toEqual({ integrations: [] });

  const { repositories } = await getRepositories({ integrationId: acme.id });
  expect(repositories.map(({ url }) => url)).toEqual(acme.repositories.map(({ url }) => url));
  expect(repositories[0]).toMatchObject({ owner: "acme", name: "agent", defaultBranch: "main" });
  const integrationId = getIntegrationsOutput({ name: "other" }).apply(({ integrations }) => integrations[0]?.id ?? "");
  expect(await settled(getRepositoriesOutput({ integrationId }))).toEqual({ repositories: [] });
});

test("the revisions of a deployment are listed latest first, by status and up to a limit", async () => {
  await using ground = await startWithIntegrations();
  ground.mock.transitions.set({ rules: [{ name: "agent", fail: "BUILD_FAILED", times: 1 }] });
  await ground.engine.up(program({ env: { A: "1" } }));
  await ground.engine.up(program({ env: { A: "2" } }));
  await ground.engine.up(program({ env: { A: "3" } }));
  const deploymentId = ground.engine.resources.get("agent")?.id ?? "";
  const stored = (await platform(ground.mock)).revisions;
  expect(stored.length).toBeGreaterThan(2);

  const { revisions } = await getRevisions({ deploymentId });
  expect(revisions.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).toReversed());
  expect(revisions[0]).toMatchObject({
    status: "DEPLOYED",
    repoRef: "main",
    commit: expect.stringMatching(/^\w{40}$/),
  });
  expect(revisions.map(({ status }) => status)).toContain("BUILD_FAILED");
  const { revisions: failed } = await getRevisions({ deploymentId, status: "BUILD_FAILED" });
  expect(failed).toEqual(revisions.filter(({ status }) => status === "BUILD_FAILED"));
  const latest = getRevisionsOutput({ deploymentId: pulumi.output(deploymentId), limit: 1 });
  expect(await settled(latest)).toEqual({ revisions: [revisions[0]] });
});

test("missing objects are named with the workspace, and invalid arguments are refused before any request", async () => {
  await using ground = await startWithIntegrations();
  const where = `in the key's workspace at ${ground.mock.url}.`;
  await expect(getRepositories({ integrationId: nowhere })).rejects.toThrow(
    `There is no integration ${nowhere} ${where}`,
  );
  await expect(getRevisions({ deploymentId: nowhere })).rejects.toThrow(`There is no deployment ${nowhere} ${where}`);

  const before = ground.mock.requests().length;
  const said = async (call: Promise<unknown>) => call.catch((error: Error) => error.message);
  const wrong = { integrationId: "", deploymentId: undefined } as unknown as Record<string, string>;
  expect(await said(getIntegrations({ name: " " }))).toBe("getIntegrations: the name is empty, or not a string.");
  expect(await said(getRepositories({ integrationId: wrong.integrationId ?? "" }))).toBe(
    "getRepositories: the integrationId is empty, or not a string.",
  );
  expect(await said(getRevisions({ deploymentId: wrong.deploymentId as string }))).toBe(
    "getRevisions: the deploymentId is empty, or not a string.",
  );
  for (const limit of [0, 1.5]) {
    expect(await said(getRevisions({ deploymentId: nowhere, limit }))).toBe(
      "getRevisions: the limit must be a whole number from 1.",
    );
  }
  expect(ground.mock.requests().length).toBe(before);
});

test("with unknown arguments or settings a lookup is unknown or reports it, and makes no request", async () => {
  await using ground = await startWithIntegrations();
  await ground.engine.preview(async () => {
    const unknown = pulumi.output(pulumi.unknown as unknown as string);
    const provider = new Provider({ apiKey: unknown });
    let isRun = false;
    const outputs = [
      getIntegrationsOutput({ name: unknown }),
      getIntegrationsOutput({}, { provider }),
      getRepositoriesOutput({ integrationId: unknown }),
      getRevisionsOutput({ deploymentId: unknown }),
    ];
    for (const output of outputs as pulumi.Output<unknown>[]) {
      output.apply(() => {
        isRun = true;
      });
    }
    await expect(getIntegrations({}, { provider })).rejects.toThrow(
      "getIntegrations: the settings of the provider aren't known yet. Use getIntegrationsOutput.",
    );
    expect(isRun).toBe(false);
  });
  expect(ground.mock.requests()).toEqual([]);
});
