import { afterEach, expect, test, vi } from "vitest";
import { Deployment } from "../../../provider/deployment.ts";
import { type GetDeploymentResult, getDeployment, getDeploymentOutput } from "../../../provider/get-deployment.ts";
import { Provider } from "../../../provider/provider.ts";
import {
  agentArgs,
  apiKey,
  elsewhere,
  platform,
  program,
  startGround,
  startLogs,
  summary,
  writes,
} from "../../kit/provider/ground.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a preview makes no requests", async () => {
  await using ground = await startGround();
  expect(summary(await ground.engine.preview(program()))).toEqual(["create"]);
  expect(ground.mock.requests()).toEqual([]);
});

test("a deployment is created, unchanged by a second up, and destroyed", async () => {
  await using ground = await startGround();
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
  const { deployments } = await platform(ground.mock);
  expect(ground.engine.resources.get("agent")).toMatchObject({
    id: deployments[0]?.id,
    outputs: { status: "READY", revisionStatus: "DEPLOYED", latestRevisionId: deployments[0]?.latestRevisionId },
  });

  const requestsBefore = ground.mock.requests().length;
  expect(summary(await ground.engine.up(program()))).toEqual(["same"]);
  expect(ground.mock.requests()).toHaveLength(requestsBefore);

  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "DELETE 204"]);
  expect(await platform(ground.mock)).toEqual({ deployments: [], revisions: [] });
});

test("changing only build_on_push makes no revision", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  expect(summary(await ground.engine.up(program({ sourceConfig: { buildOnPush: true } })))).toEqual(["update"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments[0]?.sourceConfig.build_on_push).toBe(true);
  expect(revisions).toHaveLength(1);
});

test("another ref makes one new revision and waits for it", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  const before = ground.engine.resources.get("agent")?.outputs.latestRevisionId;
  expect(summary(await ground.engine.up(program({ sourceRevisionConfig: { repoRef: "next" } })))).toEqual(["update"]);
  const { revisions } = await platform(ground.mock);
  expect(revisions).toHaveLength(2);
  expect(ground.engine.resources.get("agent")?.outputs).toMatchObject({ revisionStatus: "DEPLOYED" });
  expect(ground.engine.resources.get("agent")?.outputs.latestRevisionId).not.toBe(before);
});

test("a changed trigger rolls out again, an unchanged one doesn't", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ triggers: { prompt: "one" } }));
  expect(summary(await ground.engine.up(program({ triggers: { prompt: "one" } })))).toEqual(["same"]);
  expect(summary(await ground.engine.up(program({ triggers: { prompt: "two" } })))).toEqual(["update"]);
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("another repository under the same name replaces, deleting first", async () => {
  await using ground = await startGround({ mock: { transitions: "time:1s" } });
  await ground.engine.up(program());
  const before = ground.engine.resources.get("agent")?.id;
  const moved = program({ sourceConfig: { repoUrl: "https://github.com/acme/other" } });
  expect(summary(await ground.engine.up(moved))).toEqual(["replace"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "DELETE 204", "POST 201"]);
  const { deployments } = await platform(ground.mock);
  expect(deployments.map(({ id }) => id)).toEqual([ground.engine.resources.get("agent")?.id]);
  expect(deployments[0]?.id).not.toBe(before);
});

test("another name replaces, creating first", async () => {
  await using ground = await startGround();
  await ground.engine.up(program());
  expect(summary(await ground.engine.up(program({ name: "other" })))).toEqual(["replace"]);
  expect(writes(ground.mock)).toEqual(["POST 201", "POST 201", "DELETE 204"]);
  expect((await platform(ground.mock)).deployments.map(({ name }) => name)).toEqual(["other"]);
});

test("a change made elsewhere is found by a refresh and undone by the next up", async () => {
  await using ground = await startGround();
  const declared = program({ secrets: { MODEL_KEY: "sk-declared" } });
  await ground.engine.up(declared);
  const id = ground.engine.resources.get("agent")?.id;
  await elsewhere(ground.mock, "PATCH", `/v2/deployments/${id}`, { source_config: { build_on_push: true } });
  expect(summary(await ground.engine.up(declared))).toEqual(["same"]);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(ground.engine.resources.get("agent")?.inputs.sourceConfig).toMatchObject({ buildOnPush: true });
  expect(summary(await ground.engine.up(declared))).toEqual(["update"]);
  expect((await platform(ground.mock)).deployments[0]?.sourceConfig.build_on_push).toBe(false);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(summary(await ground.engine.up(declared))).toEqual(["same"]);
});

test("without wait the rollout continues by itself, and a later wait follows it", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  expect(summary(await ground.engine.up(program({ wait: false })))).toEqual(["create"]);
  expect(ground.engine.resources.get("agent")?.outputs).toMatchObject({ revisionStatus: "CREATING" });
  expect(summary(await ground.engine.up(program({ wait: false })))).toEqual(["same"]);
  const [revision] = (await platform(ground.mock)).revisions;
  await ground.mock.revisions.advance(revision?.id ?? "", "DEPLOYED");
  expect(summary(await ground.engine.up(program()))).toEqual(["update"]);
  expect(ground.engine.resources.get("agent")?.outputs).toMatchObject({ revisionStatus: "DEPLOYED" });
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test("customTimeouts limit the wait, and the id is kept", async () => {
  await using ground = await startGround({ mock: { transitions: "manual" } });
  const [step] = await ground.engine.up(program({}, { customTimeouts: { create: "1s" } }));
  expect(step?.error).toMatch(/is still CREATING after 1s; the rollout continues/);
  const [deployment] = (await platform(ground.mock)).deployments;
  expect(ground.engine.resources.get("agent")?.id).toBe(deployment?.id);
});

test("a display name is set by a second request, without a revision", async () => {
  await using ground = await startGround();
  expect(summary(await ground.engine.up(program({ displayName: "The agent" })))).toEqual(["create"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments[0]?.displayName).toBe("The agent");
  expect(revisions).toHaveLength(1);
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200"]);
});

test("an image is deployed to a self-hosted edition", async () => {
  await using ground = await startGround();
  const selfHosted = new Provider({ baseUrl: ground.mock.selfHostedUrl });
  const image = (tag: string) => () =>
    new Deployment(
      "agent",
      { name: "agent", sourceRevisionConfig: { imageUri: `registry.acme.example/agent:${tag}` } },
      { provider: selfHosted },
    );
  expect(summary(await ground.engine.up(image("1")))).toEqual(["create"]);
  expect(summary(await ground.engine.up(image("2")))).toEqual(["update"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect(deployments).toMatchObject([
    {
      edition: "self-hosted",
      source: "external_docker",
      revisionConfig: { image_uri: "registry.acme.example/agent:2" },
    },
  ]);
  expect(revisions).toHaveLength(2);
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
});

const [workspaceOne, workspaceTwo] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

test("a provider with the name of a key's variable deploys with that key", async () => {
  await using ground = await startGround({
    mock: { apiKeys: { [apiKey]: [workspaceOne], "key-of-the-other-workspace": [workspaceTwo] } },
    environment: { OTHER_KEY: "key-of-the-other-workspace" },
  });
  const other = new Provider({ apiKeyEnv: "OTHER_KEY" });
  expect(summary(await ground.engine.up(program({}, { provider: other })))).toEqual(["create"]);
  expect((await platform(ground.mock)).deployments).toMatchObject([{ tenantId: workspaceTwo }]);
  expect(JSON.stringify(ground.engine.resources.get("agent"))).not.toContain("key-of-the-other-workspace");
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
});

test("a provider with a key deploys with that key", async () => {
  await using ground = await startGround({
    mock: { apiKeys: { [apiKey]: [workspaceOne], "key-of-the-other-workspace": [workspaceTwo] } },
  });
  const other = new Provider({ apiKey: "key-of-the-other-workspace" });
  expect(summary(await ground.engine.up(program({}, { provider: other })))).toEqual(["create"]);
  expect((await platform(ground.mock)).deployments).toMatchObject([{ tenantId: workspaceTwo }]);
});

test("each status of a rollout is one line, and no line cancels the wait", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ mock: { transitions: "time:1s" }, logs: logs.address });
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
  const statuses = logs.lines.map(({ message }) => /^([A-Z_]+) \(/.exec(message)?.[1]).filter((status) => status);
  expect(statuses.at(-1)).toBe("DEPLOYED");
  expect(statuses).toEqual([...new Set(statuses)]);
  const urn = ground.engine.resources.get("agent")?.urn;
  expect(logs.lines.filter((line) => line.urn !== urn)).toEqual([]);
  expect(logs.lines.find(({ message }) => message.startsWith("DEPLOYED"))).toMatchObject({ ephemeral: false });
});

test("Deployment.get reads a deployment that is managed elsewhere, without its environment", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ secrets: { MODEL_KEY: "sk-of-somebody-else" } }));
  const { id = "", urn } = ground.engine.resources.get("agent") ?? {};
  const seen: unknown[] = [];
  const steps = await ground.engine.preview(() => {
    new Deployment("agent", agentArgs({ secrets: { MODEL_KEY: "sk-of-somebody-else" } }));
    const found = Deployment.get("found", id);
    found.url.apply((url) => seen.push(url));
    found.revisionStatus.apply((status) => seen.push(status));
  });
  expect(urn).toBeDefined();
  expect(summary(steps)).toEqual(expect.arrayContaining(["read"]));
  expect(seen).toEqual(expect.arrayContaining([`${ground.mock.url}/agents/${id}`, "DEPLOYED"]));
});

test("getDeployment and getDeploymentOutput find a deployment by its name or id", async () => {
  await using ground = await startGround();
  vi.stubEnv("GRAPHDEPLOY_BASE_URL", ground.mock.url);
  vi.stubEnv("GRAPHDEPLOY_API_KEY", apiKey);
  await ground.engine.up(program());
  const id = ground.engine.resources.get("agent")?.id ?? "";
  let byName: GetDeploymentResult | undefined;
  let byId: GetDeploymentResult | undefined;
  await ground.engine.preview(async () => {
    byName = await getDeployment({ name: "agent" });
    await new Promise<void>((resolve) => {
      getDeploymentOutput({ id }).apply((result) => {
        byId = result;
        resolve();
      });
    });
  });
  expect(byName).toMatchObject({ id, name: "agent", source: "github", revisionStatus: "DEPLOYED" });
  expect(byId).toEqual(byName);
});
