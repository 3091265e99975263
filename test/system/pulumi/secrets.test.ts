import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { formsOf, leaksIn, plantedSecrets } from "../../kit/planted-secrets.ts";
import { createPulumiProject, type PulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { githubArgs } from "../../kit/pulumi/program.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);

const keys = {
  KEY_OF_THE_ENVIRONMENT: "key-planted-environment-0006",
  KEY_OF_THE_CONFIGURATION: "key-planted-configuration-0007",
};
const every = { ...plantedSecrets, ...keys };

/** The most verbose options of Pulumi. */
const loudest = ["--logtostderr", "-v=9", "--debug"];

/** A program whose deployment has `args`. It uses a provider if `provider` (source text of its arguments) is given. */
function program(args: Record<string, unknown>, provider?: string): string {
  return `const pulumi = require("@pulumi/pulumi");
const { Deployment, Provider } = require("graphdeploy");
const config = new pulumi.Config();
const options = ${provider === undefined ? "{}" : `{ provider: new Provider(${provider}) }`};
const agent = new Deployment("agent", ${JSON.stringify(githubArgs(args))}, options);
exports.all = { id: agent.id, url: agent.url, names: agent.secretNames, status: agent.status };
`;
}

function project(mock: MockServer, source: string): Promise<PulumiProject> {
  return createPulumiProject({
    cli: cli.path ?? "",
    kind: "commonjs",
    program: source,
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: keys.KEY_OF_THE_ENVIRONMENT },
  });
}

const textOf = ({ stdout, stderr }: PulumiResult) => `${stdout}\n${stderr}`;

/** Every file that Pulumi writes: the state, its backups, checkpoints and history, and the stack's configuration. */
async function keptFiles({ folder }: PulumiProject): Promise<string> {
  const files = await readdir(join(folder, ".state"), { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  paths.push(join(folder, "Pulumi.test.yaml"));
  return (await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")))).join("\n");
}

async function succeeded(run: Promise<PulumiResult>): Promise<PulumiResult> {
  const result = await run;
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result;
}

whenPossible(`no secret is in a file or in Pulumi's output, however verbose${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using stack = await project(mock, program({ secrets: plantedSecrets }));
  await stack.setConfig("graphdeploy:apiKey", keys.KEY_OF_THE_CONFIGURATION, { secret: true });
  const later = "sk-planted-later-0008";
  const values = { ...every, LATER: later };

  expect(leaksIn(textOf(await succeeded(stack.preview("--diff", "--logtostderr"))), values)).toEqual([]);
  expect(leaksIn(textOf(await succeeded(stack.up(...loudest))), values)).toEqual([]);
  await stack.writeProgram(program({ secrets: { ...plantedSecrets, PLAIN: later } }));
  expect(leaksIn(textOf(await succeeded(stack.preview("--diff"))), values)).toEqual([]);
  expect(leaksIn(textOf(await succeeded(stack.up(...loudest))), values)).toEqual([]);
  expect(leaksIn(textOf(await succeeded(stack.refresh(...loudest))), values)).toEqual([]);
  expect(leaksIn(JSON.stringify(await stack.exportStack()), values)).toEqual([]);
  expect(leaksIn(textOf(await succeeded(stack.destroy(...loudest))), values)).toEqual([]);
  expect(leaksIn(await keptFiles(stack), values)).toEqual([]);
  expect(leaksIn(JSON.stringify(mock.requests()), values)).toEqual([]);
});

whenPossible(
  `errors show no secret, even if invalid arguments, a refusal or a failed build contain it${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const reserved = { secrets: { ...plantedSecrets, LANGSMITH_API_KEY: "sk-planted" }, env: { PLAIN: "plain" } };
    await using stack = await project(mock, program(reserved));
    const failed = async (...said: string[]) => {
      const result = await stack.up(...loudest);
      expect(result.code).not.toBe(0);
      for (const text of said) expect(result.stdout).toContain(text);
      expect(leaksIn(textOf(result), every)).toEqual([]);
    };
    await failed("secrets.LANGSMITH_API_KEY is reserved", "secrets.PLAIN is declared in env as well");

    await stack.writeProgram(program({ secrets: plantedSecrets }));
    const echo = Object.values(plantedSecrets).flatMap(formsOf).join(" | ");
    mock.faults.add({ match: { method: "POST" }, times: 1, effect: { status: 400, body: { detail: echo } } });
    await failed("responded with 400");

    mock.transitions.set({
      rules: [{ name: "agent", fail: "BUILD_FAILED", logLines: [echo, "the build broke here"] }],
    });
    await failed("ended as BUILD_FAILED", "the build broke here");
    expect(leaksIn(await keptFiles(stack), every)).toEqual([]);
  },
);

whenPossible(`the error about a misplaced or misspelt input doesn't show its value${suffix}`, async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const plain = "sk-planted-in-plain-0010";
  await using stack = await project(
    mock,
    program({ sercets: { KEY: plain }, apiKey: plain, env: plain, name: [plain] }),
  );
  for (const run of [stack.preview, stack.up]) {
    const result = await run();
    expect(result.code).not.toBe(0);
    for (const said of ["sercets is not an input", "apiKey is not an input", "env must be a map"]) {
      expect(result.stdout).toContain(said);
    }
    expect(leaksIn(textOf(result), { plain })).toEqual([]);
  }
});

whenPossible(`a Provider key from the configuration is stored by name, and can be rotated${suffix}`, async () => {
  const rotated = "key-planted-rotated-0009";
  await using mock = await startMockServer({
    port: 0,
    transitions: "immediate",
    apiKeys: { [keys.KEY_OF_THE_CONFIGURATION]: ["workspace-1"], [rotated]: ["workspace-1"] },
  });
  const source = program({}, `{ apiKey: config.requireSecret("euKey"), baseUrl: ${JSON.stringify(mock.url)} }`);
  await using stack = await project(mock, source);
  await stack.setConfig("euKey", keys.KEY_OF_THE_CONFIGURATION, { secret: true });
  const values = { ...keys, ROTATED: rotated };

  expect(leaksIn(textOf(await succeeded(stack.up(...loudest))), values)).toEqual([]);
  const { resources = [] } = (await stack.exportStack()).deployment;
  const resource = resources.find(({ type }) => type.endsWith(":Deployment"));
  expect(resource?.outputs?.connection).toEqual({ apiKeyConfig: "program:euKey", baseUrl: mock.url });
  await stack.setConfig("euKey", rotated, { secret: true });
  expect(leaksIn(textOf(await succeeded(stack.refresh(...loudest))), values)).toEqual([]);
  expect((await succeeded(stack.up())).stdout).toContain("2 unchanged");
  expect(leaksIn(textOf(await succeeded(stack.destroy(...loudest))), values)).toEqual([]);
  expect(leaksIn(await keptFiles(stack), values)).toEqual([]);
  expect(await storedDeployments(mock)).toEqual([]);
});

whenPossible(
  `a Provider key passed as a value is encrypted in the state, which is all that a destroy needs${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const apiKey = "key-planted-provider-0010";
    const source = program({}, JSON.stringify({ apiKey, baseUrl: mock.url }));
    await using stack = await project(mock, source);
    delete stack.environment.GRAPHDEPLOY_API_KEY;
    expect(leaksIn(textOf(await succeeded(stack.up("--logtostderr"))), { apiKey })).toEqual([]);
    expect(leaksIn(JSON.stringify(await stack.exportStack()), { apiKey })).toEqual([]);
    expect(leaksIn(textOf(await succeeded(stack.destroy())), { apiKey })).toEqual([]);
    expect(leaksIn(await keptFiles(stack), { apiKey })).toEqual([]);
  },
);

/** A program in which a transformation replaces the deployment's secrets by plain values. */
function transformed(kind: "transformations" | "transforms", value: string): string {
  const register = kind === "transforms" ? "registerResourceTransform" : "registerStackTransformation";
  return `const pulumi = require("@pulumi/pulumi");
const { Deployment, Provider } = require("graphdeploy");
pulumi.runtime.${register}(({ type, props, opts }) =>
  type.endsWith(":Deployment") ? { props: { ...props, secrets: { ADDED: ${JSON.stringify(value)} } }, opts } : undefined,
);
new Deployment("agent", ${JSON.stringify(githubArgs({ secrets: { DECLARED: "sk-declared-value" } }))});
`;
}

whenPossible.each(["transformations", "transforms"] as const)(
  `a secret that stack %s add is encrypted in the state, also after a refresh${suffix}`,
  async (kind) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const values = {
      ADDED: "sk-planted-added-0011",
      LATER: "sk-planted-later-0012",
      BY_HAND: "sk-planted-by-hand-0013",
    };
    await using stack = await project(mock, transformed(kind, values.ADDED));
    const outputs = [await succeeded(stack.preview("--diff")), await succeeded(stack.up("--diff"))];
    expect((await succeeded(stack.up())).stdout).toContain("2 unchanged");

    const [deployment] = await storedDeployments(mock);
    const headers = { "x-api-key": keys.KEY_OF_THE_ENVIRONMENT, "content-type": "application/json" };
    const secrets = [...(deployment?.secrets ?? []), { name: "BY_HAND", value: values.BY_HAND }];
    await fetch(`${mock.url}/v2/deployments/${deployment?.id}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ secrets }),
    });
    outputs.push(await succeeded(stack.refresh("--diff")));
    await stack.writeProgram(transformed(kind, values.LATER));
    outputs.push(await succeeded(stack.preview("--diff")), await succeeded(stack.up("--diff")));
    expect(outputs.at(-1)?.stdout).toContain("~ secrets");
    expect((await succeeded(stack.up())).stdout).toContain("2 unchanged");
    for (const output of outputs) expect(leaksIn(textOf(output), values)).toEqual([]);
    expect(leaksIn(await keptFiles(stack), values)).toEqual([]);
  },
);
