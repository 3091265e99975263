import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import {
  type ProviderGround,
  platform,
  program,
  startGround,
  startProvider,
  summary,
} from "../../kit/provider/ground.ts";
import type { Step } from "../../kit/pulumi/engine.ts";

const hint =
  "Set the base URL, region and workspace back. To move a deployment, remove it from the program with the old settings, then add it with the new ones.";

/** A later run with the state of an earlier one and other settings. */
async function laterRun(
  earlier: ProviderGround,
  baseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProviderGround> {
  const later = await startProvider({ baseUrl, environment });
  for (const [name, resource] of earlier.engine.resources) later.engine.resources.set(name, resource);
  return later;
}

/** The errors of a change, a refresh and a destroy. */
async function everyOperation({ engine }: ProviderGround): Promise<string[]> {
  const changed = program({ sourceRevisionConfig: { repoRef: "next" } });
  const steps: Step[] = [
    ...(await engine.preview(changed)),
    ...(await engine.up(changed)),
    ...(await engine.refresh()),
    ...(await engine.destroy()),
  ];
  return summary(steps).map((line) => line.replace("2 UNKNOWN: ", ""));
}

function refused(difference: string): string[] {
  const message = `Deployment agent was made elsewhere: ${difference}. Nothing was requested or changed. ${hint}`;
  return ["same", "same", "read", "delete"].map((operation) => `${operation}: ${message}`);
}

test("another control plane is refused by up, refresh and destroy without a request, and setting it back works", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  await using elsewhere = await startMockServer({ port: 0, transitions: "immediate" });
  await using later = await laterRun(ground.provider, elsewhere.url);
  expect(await everyOperation(later)).toEqual(
    refused(`the control plane is ${elsewhere.url} now and was ${ground.mock.url}`),
  );
  expect(elsewhere.requests()).toEqual([]);
  expect(later.engine.resources.size).toBe(1);

  await using back = await laterRun(later, ground.mock.url);
  expect(summary(await back.engine.up(program({ sourceRevisionConfig: { repoRef: "next" } })))).toEqual(["update"]);
  expect(summary(await back.engine.destroy())).toEqual(["delete"]);
  expect((await platform(ground.mock)).deployments).toEqual([]);
});

test("another region is refused before any request to its host", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  await using later = await laterRun(ground.provider, "", { GRAPHDEPLOY_REGION: "eu" });
  expect(await everyOperation(later)).toEqual(
    refused(`the control plane is https://eu.api.host.langchain.com now and was ${ground.mock.url}`),
  );
  expect((await platform(ground.mock)).deployments).toHaveLength(1);
});

test("another workspace is refused: there the deployment would look deleted", async () => {
  await using ground = await startGround({ environment: { GRAPHDEPLOY_WORKSPACE_ID: "workspace-1" } });
  await ground.engine.up(program());
  const requestsBefore = ground.mock.requests().length;
  await using later = await laterRun(ground.provider, ground.mock.url, { GRAPHDEPLOY_WORKSPACE_ID: "workspace-2" });
  expect(await everyOperation(later)).toEqual(refused("the workspace is workspace-2 now and was workspace-1"));
  expect(ground.mock.requests()).toHaveLength(requestsBefore);
  expect((await platform(ground.mock)).deployments).toHaveLength(1);
});

test("a workspace that is no longer set is read from the state", async () => {
  await using ground = await startGround({ environment: { GRAPHDEPLOY_WORKSPACE_ID: "workspace-1" } });
  await ground.engine.up(program());
  await using later = await laterRun(ground.provider, ground.mock.url);
  expect(summary(await later.engine.refresh())).toEqual(["read"]);
  expect(summary(await later.engine.destroy())).toEqual(["delete"]);
  expect((await platform(ground.mock)).deployments).toEqual([]);
});

test("a lost self-hosted prefix is refused, and nothing is treated as deleted", async () => {
  const image = { source: "external_docker", sourceRevisionConfig: { imageUri: "registry.example/agent:1" } };
  const selfHosted = () =>
    program({
      ...image,
      sourceConfig: { repoUrl: undefined as never },
      sourceRevisionConfig: {
        ...image.sourceRevisionConfig,
        repoRef: undefined as never,
        graphConfigPath: undefined as never,
      },
    });
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using first = await startProvider({ baseUrl: mock.selfHostedUrl });
  expect(summary(await first.engine.up(selfHosted()))).toEqual(["create"]);
  const requestsBefore = mock.requests().length;
  await using later = await laterRun(first, mock.url);
  expect(await everyOperation(later)).toEqual(
    refused(`the control plane is ${mock.url} now and was ${mock.selfHostedUrl}`),
  );
  expect(mock.requests()).toHaveLength(requestsBefore);
  expect((await platform(mock)).deployments).toHaveLength(1);
});

test("equivalent settings are the same control plane and workspace", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  await using later = await laterRun(ground.provider, `${ground.mock.url}/`);
  expect(summary(await later.engine.up(program()))).toEqual(["same"]);
  expect(summary(await later.engine.refresh())).toEqual(["read"]);
});

test("a 404 that isn't the control plane's own never deletes anything from the state", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  ground.mock.faults.add({
    match: { method: "GET", path: "/v2/deployments/*" },
    effect: { status: 404, html: "<html>nothing here</html>" },
  });
  const [read] = summary(await ground.engine.refresh());
  expect(read).toContain("responded with 404: a web page (request ");
  expect(ground.engine.resources.size).toBe(1);
  ground.mock.faults.replace([
    {
      match: { method: "DELETE", path: "/v2/deployments/*" },
      effect: { status: 404, body: { detail: "Not Found" } },
    },
  ]);
  const [deleted] = summary(await ground.engine.destroy());
  expect(deleted).toContain("responded with 404: Not Found");
  expect(ground.engine.resources.size).toBe(1);
  ground.mock.faults.clear();
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
});
