import { expect, test } from "vitest";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { scenarioKey, startScenario, urnOf } from "../../kit/pulumi/scenario.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const scenario = (statements: string) => startScenario({ cli: cli.path ?? "", statements });

whenPossible(
  `protect, ignoreChanges, retainOnDelete, deletedWith, version, hooks, targets and exclusions work as documented by Pulumi${suffix}`,
  async () => {
    const program = (level: string, rest = "") => `
      const env = { LEVEL: "${level}" };
      const hook = new pulumi.ResourceHook("told", async ({ name }) => pulumi.log.info("created and hooked: " + name));
      agent("protected", {}, { protect: true });
      agent("ignoring", { env }, { ignoreChanges: ["env"] });
      const hooked = agent("hooked", {}, { hooks: { afterCreate: [hook] }, customTimeouts: { create: "20m" }, additionalSecretOutputs: ["url"] });
      agent("with-hooked", {}, { deletedWith: hooked, version: "1.2.3", pluginDownloadURL: "https://127.0.0.1" });
      agent("after-left", { env }, { dependsOn: agent("left", { env }) });
      agent("right", { env }, { dependsOn: hooked });
      ${rest}
    `;
    await using it = await scenario(program("info", 'agent("retained", {}, { retainOnDelete: true });'));
    expect(await it.succeed("up")).toContain("created and hooked: hooked");
    const alive = await it.alive();
    expect(Object.keys(alive)).toHaveLength(8);
    const hooked = (await it.entries()).find(({ id }) => id === alive.hooked);
    expect(hooked?.inputs?.timeouts).toEqual({ create: "20m" });
    expect(hooked?.outputs?.url).toHaveProperty("ciphertext");
    it.writes();

    await it.declare(program("debug"));
    await it.succeed("up", "--target", urnOf("left"), "--target-dependents");
    expect(it.writes()).toEqual(["PATCH left", "PATCH after-left"]);
    await it.succeed("up", "--exclude", urnOf("right"));
    expect(it.writes()).toEqual([]);
    expect(await it.entries()).toHaveLength(7);
    await it.succeed("up");
    expect(it.writes()).toEqual(["PATCH right"]);
    expect(await it.alive()).toEqual(alive);

    expect(await it.fail("destroy")).toContain("protect");
    expect(await it.alive()).toHaveProperty("protected");
    await it.succeed("destroy", "--exclude-protected");
    await it.succeed("state", "unprotect", urnOf("protected"), "--yes");
    await it.succeed("destroy");
    // A resource that is deleted with another one is only dropped from the state.
    expect(Object.keys(await it.alive()).sort()).toEqual(["retained", "with-hooked"]);
    expect(await it.entries()).toEqual([]);
  },
);

whenPossible(
  `inputs removed from the program leave the state and the deployment, and values set by hand stay${suffix}`,
  async () => {
    await using it = await scenario(`
      const provider = new Provider({ apiKeyEnv: "OTHER_KEY" });
      const extra = { deleteTracingProject: true, adopt: true, timeouts: { create: "20m", delete: "5m" }, wait: true };
      agent("one", { env: { LEVEL: "info" }, ...extra }, { provider });
    `);
    it.project.environment.OTHER_KEY = scenarioKey;
    await it.succeed("up");
    const { one } = await it.alive();
    const before = (await it.entries())[0];
    expect(before?.inputs).toMatchObject({ connection: { apiKeyEnv: "OTHER_KEY" }, deleteTracingProject: true });

    await fetch(`${it.mock.url}/v2/deployments/${one}`, {
      method: "PATCH",
      headers: { "x-api-key": scenarioKey, "content-type": "application/json" },
      body: JSON.stringify({
        secrets: [
          ...((await storedDeployments(it.mock)).find(({ id }) => id === one)?.secrets ?? []),
          { name: "BY_HAND", value: "by hand" },
        ],
      }),
    });
    it.writes();
    delete it.project.environment.OTHER_KEY;
    await it.declare(`agent("one", { env: { LEVEL: "info" } });`);
    await it.succeed("up");
    expect(it.writes()).toEqual([]);
    const [entry] = await it.entries();
    for (const values of [entry?.inputs, entry?.outputs]) {
      expect(Object.keys(values ?? {})).toContain("name");
      for (const name of ["connection", "deleteTracingProject", "adopt", "timeouts"]) {
        expect(Object.keys(values ?? {})).not.toContain(name);
      }
    }

    await it.succeed("refresh", "--preview-only");
    expect((await it.entries())[0]).toEqual(entry);
    await it.succeed("refresh", "--run-program");
    await it.declare(`agent("one", { env: { LEVEL: "debug" } });`);
    await it.succeed("up", "--refresh");
    expect(it.writes()).toEqual(["PATCH one"]);
    const secrets = (await storedDeployments(it.mock)).find(({ id }) => id === one)?.secrets;
    expect(secrets).toContainEqual({ name: "BY_HAND", value: "by hand" });
    expect(secrets).toContainEqual({ name: "LEVEL", value: "debug" });

    await it.succeed("destroy");
    const [deletion] = it.mock.requests({ method: "DELETE" });
    expect(JSON.stringify(deletion)).not.toContain("delete_tracing_project");
  },
);

whenPossible(`a state edited by hand harms no deployment${suffix}`, async () => {
  await using it = await scenario(`agent("one");`);
  await it.succeed("up");
  const alive = await it.alive();
  it.writes();
  await it.succeed("state", "taint", urnOf("one"), "--yes");
  await it.succeed("state", "untaint", urnOf("one"), "--yes");
  expect(await it.succeed("up")).toContain("2 unchanged");
  expect(await it.succeed("preview", "--diff")).not.toContain("resourceUrn");

  await it.succeed("state", "remove", urnOf("one"), "--yes");
  expect(await it.entries()).toEqual([]);
  expect(it.writes()).toEqual([]);
  expect(await it.succeed("up")).toContain("kept, not replaced");
  expect(it.writes()).toEqual(["PATCH one"]);
  expect(await it.alive()).toEqual(alive);
  await it.succeed("destroy", "--run-program");
  expect(await it.alive()).toEqual({});
});
