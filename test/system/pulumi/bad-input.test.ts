import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { deploymentProgram, githubArgs } from "../../kit/pulumi/program.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);

function project(args: Record<string, unknown>, environment: Record<string, string>) {
  const program = deploymentProgram("commonjs", githubArgs(args));
  return createPulumiProject({ cli: cli.path ?? "", kind: "commonjs", program, environment });
}

whenPossible(`a preview reports a missing key, and an invalid argument with its path${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(
    { sourceRevisionConfig: { repoRef: "refs/heads/main" }, timeouts: { create: "soon" } },
    { GRAPHDEPLOY_BASE_URL: mock.url },
  );
  const { code, stdout } = await stack.preview();
  expect(code).not.toBe(0);
  expect(stdout).toContain("No API key: looked for ");
  expect(stdout).toContain('sourceRevisionConfig.repoRef is the full ref of a branch; write "main".');
  expect(stdout).toContain('timeouts.create: "soon" is not a duration.');
  expect(mock.requests()).toEqual([]);
});

whenPossible(
  `a self-hosted host without its prefix creates nothing, and the error names the address${suffix}`,
  async () => {
    const page = { body: "<!doctype html>", headers: { "content-type": "text/html" } };
    await using server = await startScriptedServer(() => page);
    await using stack = await project({}, { GRAPHDEPLOY_BASE_URL: server.url, GRAPHDEPLOY_API_KEY: "key-1" });
    const { code, stdout } = await stack.up();
    expect(code).not.toBe(0);
    expect(stdout).toContain(`set the base URL to ${server.url}/api-host.`);
    const { resources = [] } = (await stack.exportStack()).deployment;
    expect(resources.filter(({ type }) => type.endsWith(":Deployment"))).toEqual([]);
  },
);

whenPossible(`another control plane between two runs orphans and deletes nothing${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using elsewhere = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project({}, { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" });
  expect((await stack.up()).code).toBe(0);
  const { id } = await stack.outputs();

  stack.environment.GRAPHDEPLOY_BASE_URL = elsewhere.url;
  const refused = `Deployment agent was made elsewhere: the control plane is ${elsewhere.url} now and was ${mock.url}. Nothing was requested or changed.`;
  for (const operation of [stack.up, stack.refresh, stack.destroy]) {
    const { code, stdout } = await operation();
    expect(code).not.toBe(0);
    expect(stdout).toContain(refused);
  }
  expect(elsewhere.requests()).toEqual([]);
  stack.environment.GRAPHDEPLOY_BASE_URL = mock.url;
  expect(await stack.outputs()).toMatchObject({ id });
  expect((await stack.destroy()).code).toBe(0);
  expect(await storedDeployments(mock)).toEqual([]);
});
