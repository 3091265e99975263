import { expect, test } from "vitest";
import type { MockServer } from "../../../mock-server/server.ts";
import type { DeploymentArgs } from "../../../provider/deployment.ts";
import { deploymentType, providerText } from "../../../provider/dynamic.ts";
import {
  agentArgs,
  apiKey,
  type ProviderGround,
  platform,
  program,
  startGround,
  startLogs,
  startProvider,
  summary,
  writes,
} from "../../kit/provider/ground.ts";

/** A deployment with the configuration of `agentArgs()` that was created elsewhere. */
async function madeByHand(mock: MockServer, changes: Record<string, unknown> = {}): Promise<string> {
  const response = await fetch(`${mock.url}/v2/deployments`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({
      name: "agent",
      source: "github",
      source_config: { repo_url: "https://github.com/acme/agent", build_on_push: false },
      source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
      secrets: [],
      ...changes,
    }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** The values of its environment, by name. */
async function environmentOf(mock: MockServer): Promise<Record<string, string>> {
  const [record] = (await platform(mock)).deployments;
  return Object.fromEntries(record?.secrets.map(({ name, value }) => [name, value]) ?? []);
}

const adopted = (changes: Partial<DeploymentArgs> = {}) => program({ adopt: true, ...changes });

test("an adoption writes the ownership marker with one revision, and keeps undeclared entries", async () => {
  await using ground = await startGround();
  const byHand = { name: "BY_HAND", value: "set by hand" };
  const id = await madeByHand(ground.mock, { secrets: [byHand] });
  expect(summary(await ground.engine.up(adopted()))).toEqual(["create"]);
  const { outputs } = ground.engine.resources.get("agent") ?? {};
  expect(ground.engine.resources.get("agent")?.id).toBe(id);
  expect(outputs?.ownershipMarker).toMatch(/^pulumi#urn:pulumi:test::program::.*::agent#g-[0-9a-f]{12}$/);
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200"]);
  expect(await environmentOf(ground.mock)).toEqual({
    BY_HAND: "set by hand",
    GRAPHDEPLOY_MANAGED_BY: outputs?.ownershipMarker,
  });
  expect(summary(await ground.engine.up(adopted()))).toEqual(["same"]);
  expect(summary(await ground.engine.destroy())).toEqual(["delete"]);
  expect((await platform(ground.mock)).deployments).toEqual([]);
});

test("an adoption applies all mutable fields in one request", async () => {
  await using ground = await startGround();
  const id = await madeByHand(ground.mock);
  const wanted = adopted({
    displayName: "Agent",
    sourceConfig: { buildOnPush: true },
    sourceRevisionConfig: { repoRef: "next" },
  });
  expect(summary(await ground.engine.up(wanted))).toEqual(["create"]);
  expect(ground.engine.resources.get("agent")).toMatchObject({ id, outputs: { revisionStatus: "DEPLOYED" } });
  expect(writes(ground.mock)).toEqual(["POST 201", "PATCH 200"]);
  expect(ground.mock.requests({ method: "PATCH" })[0]?.request.body).toEqual({
    display_name: "Agent",
    source_config: { build_on_push: true },
    source_revision_config: { repo_ref: "next" },
    secrets: [{ name: "GRAPHDEPLOY_MANAGED_BY", value: "[redacted]" }],
  });
  expect((await platform(ground.mock)).revisions).toHaveLength(2);
});

test("a deployment that can't become the declared one is refused and not adopted: a later destroy leaves it", async () => {
  await using ground = await startGround();
  const id = await madeByHand(ground.mock);
  const [said] = summary(
    await ground.engine.up(adopted({ sourceConfig: { repoUrl: "https://github.com/acme/other" } })),
  );
  expect(said).toBe(
    `create: 2 UNKNOWN: Deployment agent (${id}) can't become the declared one: sourceConfig.repoUrl is "https://github.com/acme/agent" there and "https://github.com/acme/other" here. These fields can't change on a deployment: declare them as they are there, or use another name.`,
  );
  expect(ground.engine.resources.size).toBe(0);
  expect(await ground.engine.destroy()).toEqual([]);
  expect((await platform(ground.mock)).deployments).toHaveLength(1);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test("a deployment isn't adopted if the platform refuses the change", async () => {
  await using ground = await startGround();
  await madeByHand(ground.mock);
  ground.mock.faults.add({ match: { method: "PATCH" }, effect: { status: 400, body: { detail: "Not today." } } });
  const [said] = summary(await ground.engine.up(adopted({ sourceRevisionConfig: { repoRef: "next" } })));
  expect(said).toContain("responded with 400: Not today");
  expect(ground.engine.resources.size).toBe(0);
});

test("an adopted deployment whose new revision fails stays in the state", async () => {
  await using ground = await startGround();
  const id = await madeByHand(ground.mock);
  ground.mock.transitions.set({ rules: [{ name: "agent", fail: "BUILD_FAILED" }] });
  const [said] = summary(await ground.engine.up(adopted({ sourceRevisionConfig: { repoRef: "next" } })));
  expect(said).toContain("ended as BUILD_FAILED");
  expect(ground.engine.resources.get("agent")?.id).toBe(id);
});

test("undeclared secrets are kept, and exist only in memory", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  await madeByHand(ground.mock, {
    secrets: [
      { name: "OLD_ONE", value: "sk-old-value-1" },
      { name: "OLD_TWO", value: "sk-old-value-2" },
      { name: "MODEL_KEY", value: "sk-same-value" },
    ],
  });
  expect(summary(await ground.engine.up(adopted({ secrets: { MODEL_KEY: "sk-same-value" } })))).toEqual(["create"]);
  const everything = {
    OLD_ONE: "sk-old-value-1",
    OLD_TWO: "sk-old-value-2",
    MODEL_KEY: "sk-same-value",
    GRAPHDEPLOY_MANAGED_BY: expect.stringContaining("pulumi#urn:"),
  };
  expect(await environmentOf(ground.mock)).toEqual(everything);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
  expect(summary(await ground.engine.up(adopted({ secrets: { MODEL_KEY: "sk-new-value" } })))).toEqual(["update"]);
  expect(await environmentOf(ground.mock)).toEqual({ ...everything, MODEL_KEY: "sk-new-value" });
  expect(JSON.stringify(logs.lines)).not.toContain("sk-");
  expect(JSON.stringify(ground.engine.resources.get("agent")?.outputs)).not.toContain("sk-");
  expect(JSON.stringify(ground.engine.resources.get("agent")?.inputs)).not.toContain("sk-old");
});

test("of two programs that create one name at once, one wins and the other fails with a hint about `adopt`", async () => {
  await using ground = await startGround();
  await using rival = await startProvider({ baseUrl: ground.mock.url });
  // Both programs look up the name before either creates the deployment.
  ground.mock.faults.add({ match: { method: "POST", path: "/v2/deployments" }, times: 2, effect: { latency: "1s" } });
  const make = async ({ process }: ProviderGround, name: string) => {
    const resourceUrn = `urn:pulumi:test::program::${deploymentType}::${name}`;
    const { inputs } = await process.check(resourceUrn, {}, { ...agentArgs(), resourceUrn, __provider: providerText });
    return process.create(resourceUrn, inputs);
  };
  const results = await Promise.allSettled([make(ground.provider, "first"), make(rival, "second")]);
  const { deployments } = await platform(ground.mock);
  expect(deployments).toHaveLength(1);
  const [won] = results.filter(({ status }) => status === "fulfilled");
  const [lost] = results.filter(({ status }) => status === "rejected");
  expect(won).toMatchObject({ value: { id: deployments[0]?.id } });
  expect(String((lost as PromiseRejectedResult).reason)).toMatch(
    /name: the deployment of that name \([^ ]+\) belongs to the resource "(first|second)" of this stack\. If .* `aliases: \[\{ name: "(first|second)" \}\]`/,
  );
  expect(writes(ground.mock).sort()).toEqual(["POST 201", "POST 409"]);
});

test("the resource option import is refused unless it is empty", async () => {
  await using ground = await startGround();
  const id = await madeByHand(ground.mock);
  await expect(ground.engine.up(program({}, { import: id }))).rejects.toThrow(
    /can't import a dynamic resource.*adopt: true/,
  );
  expect(writes(ground.mock)).toEqual(["POST 201"]);
  expect(summary(await ground.engine.up(program({ name: "other" }, { import: "" })))).toEqual(["create"]);
});
