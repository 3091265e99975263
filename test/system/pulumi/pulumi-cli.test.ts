import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import type { DeploymentArgs } from "../../../provider/deployment.ts";
import { createInlineProject, createPulumiProject, type ProgramKind, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { deploymentProgram, githubArgs } from "../../kit/pulumi/program.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const apiKey = "key-of-the-life-cycle-test";

function project(mock: MockServer, kind: ProgramKind, args: Record<string, unknown>) {
  return createPulumiProject({
    cli: cli.path ?? "",
    kind,
    program: deploymentProgram(kind, args),
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: apiKey },
  });
}

function succeeded(result: PulumiResult): PulumiResult {
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result;
}

async function writes(mock: MockServer): Promise<string[]> {
  const requests = await mock.requests();
  return requests.filter(({ method }) => method !== "GET").map(({ method, status }) => `${method} ${status}`);
}

whenPossible(`a program goes from preview to destroy${suffix}`, async () => {
  const kind = "typescript";
  await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
  await using stack = await project(mock, kind, githubArgs());

  const preview = succeeded(await stack.preview());
  expect(preview.stdout).toContain("2 to create");
  expect(await writes(mock)).toEqual([]);

  const up = succeeded(await stack.up());
  expect(up.stdout).toContain("DEPLOYED");
  const first = await stack.outputs();
  expect(await fetch(`${first.url}/ok`).then((response) => response.json())).toEqual({ ok: true });
  expect(await writes(mock)).toEqual(["POST 201"]);

  expect(succeeded(await stack.up()).stdout).toContain("2 unchanged");
  expect(await writes(mock)).toEqual(["POST 201"]);

  await stack.writeProgram(deploymentProgram(kind, githubArgs({ sourceConfig: { buildOnPush: true } })));
  expect(succeeded(await stack.up()).stdout).toContain("1 updated");
  expect((await stack.outputs()).revision).toBe(first.revision);

  await stack.writeProgram(deploymentProgram(kind, githubArgs({ sourceRevisionConfig: { repoRef: "next" } })));
  expect(succeeded(await stack.up()).stdout).toContain("1 updated");
  const second = await stack.outputs();
  expect(second.id).toBe(first.id);
  expect(second.revision).not.toBe(first.revision);

  succeeded(await stack.destroy());
  const gone = await fetch(`${mock.url}/v2/deployments/${first.id}`, { headers: { "x-api-key": apiKey } });
  expect(gone.status).toBe(404);
  expect(await writes(mock)).toEqual(["POST 201", "PATCH 200", "PATCH 200", "DELETE 204"]);
});

whenPossible.each(["commonjs", "esm"] as const)(`a program in %s is deployed and destroyed${suffix}`, async (kind) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(mock, kind, githubArgs());
  succeeded(await stack.up());
  expect((await stack.outputs()).id).toEqual(expect.any(String));
  succeeded(await stack.destroy());
  expect(await writes(mock)).toEqual(["POST 201", "DELETE 204"]);
});

whenPossible(`a changed trigger rolls out again, an unchanged one doesn't${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(mock, "commonjs", githubArgs({ triggers: { prompt: "one" } }));
  succeeded(await stack.up());
  const { revision } = await stack.outputs();
  succeeded(await stack.up());
  expect((await stack.outputs()).revision).toBe(revision);
  await stack.writeProgram(deploymentProgram("commonjs", githubArgs({ triggers: { prompt: "two" } })));
  succeeded(await stack.up());
  expect((await stack.outputs()).revision).not.toBe(revision);
});

whenPossible(
  `another repository replaces the deployment, deleting first, and the preview names what is lost${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using stack = await project(mock, "commonjs", githubArgs());
    succeeded(await stack.up());
    const { id } = await stack.outputs();
    const moved = githubArgs({ sourceConfig: { repoUrl: "https://github.com/acme/other" } });
    await stack.writeProgram(deploymentProgram("commonjs", moved));
    const preview = succeeded(await stack.preview());
    expect(preview.stdout).toContain("1 to replace");
    expect(preview.stdout).toContain("threads and store items");
    succeeded(await stack.up());
    expect((await stack.outputs()).id).not.toBe(id);
    expect(await writes(mock)).toEqual(["POST 201", "DELETE 204", "POST 201"]);
  },
);

whenPossible(`a change made elsewhere is found by refresh and undone by up${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(mock, "commonjs", githubArgs({ secrets: { MODEL_KEY: "sk-declared-value" } }));
  succeeded(await stack.up());
  const { id } = await stack.outputs();
  const elsewhere = (body: unknown) =>
    fetch(`${mock.url}/v2/deployments/${id}`, {
      method: "PATCH",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await elsewhere({ source_config: { build_on_push: true } });
  await elsewhere({
    secrets: [
      { name: "MODEL_KEY", value: "sk-other-value" },
      { name: "EXTRA", value: "sk-extra-value" },
    ],
  });

  const refresh = succeeded(await stack.refresh("--diff"));
  expect(refresh.stdout).toContain("1 updated");
  const state = JSON.stringify(await stack.exportStack());
  expect(state).not.toMatch(/sk-(declared|other|extra)-value/);
  expect(refresh.stdout).not.toMatch(/sk-(declared|other|extra)-value/);

  succeeded(await stack.up());
  const deployment = await (
    await fetch(`${mock.url}/v2/deployments/${id}`, { headers: { "x-api-key": apiKey } })
  ).json();
  expect(deployment).toMatchObject({ source_config: { build_on_push: false } });
  // Declared entries have their declared values again, and the added one stays.
  expect((deployment as { secrets: { name: string; value: string }[] }).secrets).toEqual([
    { name: "MODEL_KEY", value: "sk-declared-value" },
    { name: "EXTRA", value: "sk-extra-value" },
    { name: "GRAPHDEPLOY_MANAGED_BY", value: expect.stringContaining("pulumi#urn:pulumi:test::program::") },
  ]);
  expect(succeeded(await stack.up()).stdout).toContain("2 unchanged");
});

whenPossible(`an inline program of the Automation API goes from up to destroy${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { Deployment } = await import("graphdeploy");
  let ref = "main";
  await using inline = await createInlineProject({
    cli: cli.path ?? "",
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: apiKey },
    program: async () => {
      const args = githubArgs({ sourceRevisionConfig: { repoRef: ref } });
      const agent = new Deployment("agent", args as unknown as DeploymentArgs);
      return { id: agent.id, revision: agent.latestRevisionId };
    },
  });
  const first = await inline.stack.up();
  expect(await writes(mock)).toEqual(["POST 201"]);
  ref = "next";
  const second = await inline.stack.up();
  expect(second.outputs.id?.value).toBe(first.outputs.id?.value);
  expect(second.outputs.revision?.value).not.toBe(first.outputs.revision?.value);
  await inline.stack.destroy();
  expect(await writes(mock)).toEqual(["POST 201", "PATCH 200", "DELETE 204"]);
});
