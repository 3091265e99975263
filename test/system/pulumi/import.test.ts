import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { type ImportedDeployment, importFile } from "../../../provider/import-file.ts";
import { createPulumiProject, type PulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { deploymentProgram, githubArgs } from "../../kit/pulumi/program.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const apiKey = "key-of-the-import-test";

afterEach(() => vi.unstubAllEnvs());

/** A deployment that was created by hand. */
async function madeByHand(mock: MockServer): Promise<string> {
  const response = await fetch(`${mock.url}/v2/deployments`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({
      name: "agent",
      source: "github",
      source_config: { repo_url: "https://github.com/acme/agent.git", build_on_push: false },
      source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
      secrets: [
        { name: "STAGE", value: "production" },
        { name: "MODEL_KEY", value: "sk-planted-import-value" },
      ],
    }),
  });
  return ((await response.json()) as { id: string }).id;
}

async function project(mock: MockServer, args: Record<string, unknown>): Promise<PulumiProject> {
  const environment = { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: apiKey };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return createPulumiProject({
    cli: cli.path ?? "",
    kind: "commonjs",
    program: deploymentProgram("commonjs", args),
    environment,
  });
}

/** Writes the file and imports it, as documented. Returns the file's text. */
async function importInto(stack: PulumiProject, id: string, args: Record<string, unknown>): Promise<string> {
  const resource = { resourceName: "agent", id, args: args as unknown as ImportedDeployment["args"] };
  const text = JSON.stringify(await importFile({ project: "program", stack: stack.stack, resources: [resource] }));
  await writeFile(join(stack.folder, "import.json"), text);
  const flags = ["--file", "import.json", "--yes", "--protect=false", "--generate-code=false"];
  succeeded(await stack.run("import", "--stack", stack.stack, ...flags));
  return text;
}

function succeeded(result: PulumiResult): PulumiResult {
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result;
}

const writes = (mock: MockServer) => mock.requests().filter(({ method }) => method !== "GET").length - 1;

whenPossible(`a deployment is imported from a file, and the next up changes nothing${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const id = await madeByHand(mock);
  const args = githubArgs({ env: { STAGE: "production" } });
  await using stack = await project(mock, args);
  const text = await importInto(stack, id, args);
  expect(text).not.toContain("sk-planted-import-value");
  expect(text).not.toContain(apiKey);

  expect(succeeded(await stack.up()).stdout).toContain("2 unchanged");
  expect(await stack.outputs()).toMatchObject({ id, url: `${mock.url}/agents/${id}` });
  expect(writes(mock)).toBe(0);
  succeeded(await stack.destroy());
  expect(await storedDeployments(mock)).toEqual([]);
});

whenPossible(`differences on the platform show in the first preview after an import${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const id = await madeByHand(mock);
  const args = githubArgs({
    sourceRevisionConfig: { repoRef: "next" },
    secrets: { MODEL_KEY: "sk-planted-import-value" },
  });
  await using stack = await project(mock, args);
  const text = await importInto(stack, id, args);
  expect(text).not.toContain("sk-planted-import-value");

  const preview = succeeded(await stack.preview("--diff"));
  expect(preview.stdout).toMatch(/repoRef *: "main" => "next"/);
  succeeded(await stack.up());
  expect(writes(mock)).toBe(1);
  expect((await storedDeployments(mock)).find((one) => one.id === id)?.revisionConfig.repo_ref).toBe("next");
  expect(succeeded(await stack.up()).stdout).toContain("2 unchanged");
});

test("an import with invalid arguments or of another deployment is refused", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const id = await madeByHand(mock);
  vi.stubEnv("GRAPHDEPLOY_BASE_URL", mock.url);
  vi.stubEnv("GRAPHDEPLOY_API_KEY", apiKey);
  const importing = (args: Record<string, unknown>) =>
    importFile({
      project: "program",
      stack: "test",
      resources: [{ resourceName: "agent", id, args: args as unknown as ImportedDeployment["args"] }],
    });
  await expect(importing(githubArgs({ sourceRevisionConfig: { repoRef: "refs/heads/main" } }))).rejects.toThrow(
    'agent: sourceRevisionConfig.repoRef is the full ref of a branch; write "main".',
  );
  await expect(importing(githubArgs({ name: "other" }))).rejects.toThrow(
    `agent: name is "other", but deployment ${id} is named "agent". Check the id.`,
  );
  await mock.reset();
  await expect(importing(githubArgs())).rejects.toThrow(`Deployment ID ${id} not found`);
});

whenPossible(`the resource option import is refused with advice, without any request${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const id = await madeByHand(mock);
  await using stack = await project(mock, githubArgs());
  await stack.writeProgram(deploymentProgram("commonjs", githubArgs(), `{ import: "${id}" }`));
  const requestsBefore = mock.requests().length;
  for (const result of [await stack.preview(), await stack.up()]) {
    const output = result.stdout + result.stderr;
    expect(result.code).not.toBe(0);
    expect(output).toContain('the resource option "import" can\'t import a dynamic resource');
    expect(output).toMatch(/`adopt: true`[\s\S]*`importFile`/);
    expect(output).not.toContain("code must be a string");
    expect(output).not.toMatch(/^\s+at /m);
  }
  expect(mock.requests()).toHaveLength(requestsBefore);
});

whenPossible(`a plain pulumi import fails as the troubleshooting page says, and changes nothing${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const id = await madeByHand(mock);
  await using stack = await project(mock, githubArgs());
  const type = "pulumi-nodejs:dynamic/graphdeploy:Deployment";
  const result = await stack.run("import", "--stack", stack.stack, "--yes", type, "agent", id);
  expect(result.code).not.toBe(0);
  expect(result.stdout + result.stderr).toContain("code must be a string, not undefined");
  const page = await readFile(new URL("../../../docs/guides/troubleshooting.md", import.meta.url), "utf8");
  expect(page).toContain("### `code must be a string, not undefined` of `pulumi import`");
  expect(writes(mock)).toBe(0);
  expect((await stack.exportStack()).deployment.resources?.filter((resource) => resource.type === type) ?? []).toEqual(
    [],
  );
});
