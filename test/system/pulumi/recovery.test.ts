import { expect, test, vi } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject, type PulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { deploymentProgram, githubArgs } from "../../kit/pulumi/program.ts";
import { killWithDescendants } from "../../kit/pulumi/scenario.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const apiKey = "key-of-the-recovery-test";

function project(mock: MockServer, args = githubArgs()): Promise<PulumiProject> {
  return createPulumiProject({
    cli: cli.path ?? "",
    kind: "commonjs",
    program: deploymentProgram("commonjs", args),
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: apiKey },
  });
}

function succeeded(result: PulumiResult): PulumiResult {
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result;
}

/** `<method> <status>` of each writing request. */
function writes(mock: MockServer): string[] {
  const requests = mock.requests({ path: "/v2/*" }).filter(({ method }) => method !== "GET");
  return requests.map(({ method, status }) => `${method} ${status}`);
}

/** The resource as the state has it. */
async function agentIn(stack: PulumiProject) {
  const { resources = [] } = (await stack.exportStack()).deployment;
  return resources.find(({ type }) => type.endsWith("graphdeploy:Deployment"));
}

/** Waits until the provider polls. */
async function inTheWait(mock: MockServer): Promise<void> {
  const polls = () => mock.requests({ method: "GET", path: "/v2/deployments/*/revisions/*" }).length;
  await vi.waitFor(() => expect(polls()).toBeGreaterThan(0), { timeout: 60_000, interval: 50 });
}

whenPossible(
  `a failed build keeps the id and shows its log, and the next up repairs it, also after a refresh${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using stack = await project(mock);
    mock.transitions.set({
      rules: [{ name: "agent", fail: "BUILD_FAILED", logLines: ["no matching distribution for agent"], times: 2 }],
    });
    const failed = await stack.up();
    expect(failed.code).not.toBe(0);
    expect(failed.stdout + failed.stderr).toMatch(/ended as BUILD_FAILED[\s\S]*no matching distribution for agent/);
    const first = await agentIn(stack);
    expect(first).toMatchObject({ outputs: { revisionStatus: "BUILD_FAILED" }, initErrors: [expect.any(String)] });

    expect((await stack.up()).code).not.toBe(0);
    succeeded(await stack.refresh());
    succeeded(await stack.up());
    const healed = await agentIn(stack);
    expect(healed).toMatchObject({ id: first?.id, outputs: { revisionStatus: "DEPLOYED" } });
    expect(healed?.initErrors ?? []).toEqual([]);
    expect(writes(mock)).toEqual(["POST 201", "PATCH 200", "PATCH 200"]);
    expect(succeeded(await stack.up()).stdout).toContain("2 unchanged");
  },
);

whenPossible(
  `Ctrl-C in the middle of a wait keeps the id, and the next up resumes without another revision${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "manual" });
    await using stack = await project(mock);
    const run = stack.start("up", "--stack", stack.stack, "--yes", "--skip-preview");
    await inTheWait(mock);
    run.signal("SIGINT");
    const result = await run.ended;
    expect(result.code).not.toBe(0);
    const interrupted = await agentIn(stack);
    const [deployment] = await storedDeployments(mock);
    expect(interrupted, result.stdout + result.stderr).toMatchObject({
      id: deployment?.id,
      initErrors: [expect.stringContaining("Cancelled. A rollout in progress continues;")],
    });
    await mock.revisions.advance(deployment?.latestRevisionId ?? "", "DEPLOYED");
    succeeded(await stack.up());
    expect(writes(mock)).toEqual(["POST 201"]);
    expect(await agentIn(stack)).toMatchObject({ id: deployment?.id, outputs: { revisionStatus: "DEPLOYED" } });
  },
);

whenPossible(`a wait that ran out of time is resumed by the next up without another revision${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using stack = await project(mock, githubArgs({ timeouts: { create: "1s" } }));
  const late = await stack.up();
  expect(late.code).not.toBe(0);
  expect(late.stdout + late.stderr).toContain("is still CREATING after 1s");
  const [deployment] = await storedDeployments(mock);
  await mock.revisions.advance(deployment?.latestRevisionId ?? "", "DEPLOYED");
  succeeded(await stack.up());
  expect(writes(mock)).toEqual(["POST 201"]);
});

whenPossible(`a create whose command was killed is resumed by the next up${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  await using stack = await project(mock);
  const run = stack.start("up", "--stack", stack.stack, "--yes", "--skip-preview");
  await inTheWait(mock);
  killWithDescendants(run.process.pid ?? 0);
  await run.ended;
  // The killed command left its lock, and a pending creation.
  succeeded(await stack.run("cancel", "--yes", "--stack", stack.stack));
  const next = stack.start("up", "--stack", stack.stack, "--yes", "--skip-preview");
  await next.printed("isn't live yet; resuming an interrupted creation");
  const [deployment] = await storedDeployments(mock);
  await mock.revisions.advance(deployment?.latestRevisionId ?? "", "DEPLOYED");
  succeeded(await next.ended);
  expect(await agentIn(stack)).toMatchObject({ id: deployment?.id, outputs: { revisionStatus: "DEPLOYED" } });
  expect(writes(mock)).toEqual(["POST 201"]);
  mock.transitions.set({ mode: "immediate" });
  succeeded(await stack.destroy());
  expect(await storedDeployments(mock)).toEqual([]);
});

whenPossible(`a deployment deleted by hand is a clear error, and refresh and up create it again${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(mock);
  succeeded(await stack.up());
  const before = (await agentIn(stack))?.id;
  await fetch(`${mock.url}/v2/deployments/${before}`, { method: "DELETE", headers: { "x-api-key": apiKey } });
  await stack.writeProgram(deploymentProgram("commonjs", githubArgs({ sourceRevisionConfig: { repoRef: "next" } })));
  const lost = await stack.up();
  expect(lost.code).not.toBe(0);
  expect(lost.stdout + lost.stderr).toContain(`(${before}) was deleted outside of Pulumi. Run \`pulumi refresh\``);
  succeeded(await stack.refresh());
  succeeded(await stack.up());
  const [deployment] = await storedDeployments(mock);
  expect(await agentIn(stack)).toMatchObject({ id: deployment?.id });
  await fetch(`${mock.url}/v2/deployments/${deployment?.id}`, { method: "DELETE", headers: { "x-api-key": apiKey } });
  succeeded(await stack.destroy());
});
