import { expect, test } from "vitest";
import { providerText } from "../../../provider/dynamic.ts";
import { startGround } from "../../kit/provider/ground.ts";
import { unknown } from "../../kit/pulumi/dynamic-process.ts";

const urn = "urn:pulumi:test::program::pulumi-nodejs:dynamic/graphdeploy:Deployment::agent";
const repository = { repoUrl: "https://github.com/acme/agent" };
const revision = { repoRef: "main", graphConfigPath: "graph.json" };

/** The results of `check` for a preview's inputs, and for their final values. */
async function startChecks() {
  const ground = await startGround();
  const check = async (news: Record<string, unknown>, olds: Record<string, unknown> = {}) => {
    const { inputs, failures } = await ground.provider.process.check(urn, olds, {
      name: "agent",
      __provider: providerText,
      ...news,
    });
    expect(failures).toEqual([]);
    const { __provider, name, ...rest } = inputs;
    return rest;
  };
  return { check, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() };
}

/** Whether `previewed` matches the final inputs, where unknown values match any value. */
function expectForetold(previewed: unknown, final: unknown): void {
  if (previewed === unknown) return;
  if (typeof previewed !== "object" || previewed === null) {
    expect(final).toEqual(previewed);
    return;
  }
  const [before, after] = [previewed, (final ?? {}) as object].map((value) => new Map(Object.entries(value)));
  for (const name of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
    expectForetold(before?.get(name), after?.get(name));
  }
}

test("values derived from an unknown source are unknown, and values with only one possible outcome are known", async () => {
  await using checks = await startChecks();
  const { check } = checks;
  expect(await check({ sourceConfig: unknown, sourceRevisionConfig: unknown })).toMatchObject({ source: unknown });
  expect(await check({ sourceConfig: unknown, sourceRevisionConfig: revision })).toMatchObject({
    source: "github",
    sourceConfig: unknown,
  });
  expect(await check({ sourceConfig: { repoUrl: unknown }, sourceRevisionConfig: unknown })).toMatchObject({
    source: unknown,
    sourceConfig: { repoUrl: unknown, buildOnPush: unknown },
  });
  expect(await check({ sourceConfig: repository, sourceRevisionConfig: unknown })).toMatchObject({
    source: "github",
    sourceConfig: { ...repository, buildOnPush: false },
  });
  expect(await check({ sourceRevisionConfig: unknown })).toMatchObject({ source: "external_docker" });
  expect(await check({ sourceRevisionConfig: { imageUri: unknown } })).toMatchObject({ source: "external_docker" });
  expect(await check({ source: unknown, sourceConfig: {}, secretReferences: {} })).toMatchObject({
    source: unknown,
    sourceConfig: { buildOnPush: unknown },
  });
});

test("no known value of a preview turns out to be wrong, whichever inputs are unknown", async () => {
  await using checks = await startChecks();
  const github = {
    sourceConfig: { ...repository, resourceSpec: { cpu: 1 } },
    sourceRevisionConfig: revision,
    env: { LEVEL: "info" },
    secrets: { TOKEN: "sk-token-value" },
    triggers: { prompt: "one" },
    timeouts: { create: "5m" },
    wait: false,
  };
  const image = { sourceRevisionConfig: { imageUri: "registry.example/agent:1" }, env: { LEVEL: "info" } };
  for (const declared of [github, image]) {
    const final = await checks.check(declared);
    const whole = Object.keys(declared).map((name) => ({ ...declared, [name]: unknown }));
    const inside = Object.entries(declared).flatMap(([name, value]) =>
      Object.keys(typeof value === "object" ? value : {}).map((field) => ({
        ...declared,
        [name]: { ...(value as object), [field]: unknown },
      })),
    );
    const all = Object.fromEntries(Object.keys(declared).map((name) => [name, unknown]));
    for (const news of [...whole, ...inside, all]) {
      expectForetold(await checks.check(news), final);
      // The same in the preview of an update.
      expectForetold(await checks.check(news, { name: "agent", ...final }), final);
    }
  }
});

test("an unknown name, connection or secret counts as valid", async () => {
  await using checks = await startChecks();
  const { check } = checks;
  const declared = { sourceConfig: repository, sourceRevisionConfig: revision };
  expect(await check({ ...declared, name: unknown })).toMatchObject({ source: "github" });
  expect(await check({ ...declared, connection: { apiKey: unknown, region: unknown } })).toMatchObject({
    connection: { apiKey: unknown, region: unknown },
  });
  expect(await check({ ...declared, secrets: unknown })).toMatchObject({ secrets: unknown, secretsVersion: unknown });
});
