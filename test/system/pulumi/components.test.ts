import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { githubArgs } from "../../kit/pulumi/program.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

const program = `const pulumi = require("@pulumi/pulumi");
const { Deployment } = require("graphdeploy");
const args = (name, more) => ({ ...${JSON.stringify(githubArgs())}, name, ...more });
class Echo extends pulumi.dynamic.Resource {
  constructor(name, props, opts) {
    super({ create: async (inputs) => ({ id: "echo", outs: inputs }) }, name, props, opts);
  }
}
class Pair extends pulumi.ComponentResource {
  constructor(name, opts) {
    super("test:index:Pair", name, {}, opts);
    this.first = new Deployment(name + "-first", args(name + "-first"), { parent: this });
    this.second = new Deployment(name + "-second", args(name + "-second", { env: { UP: this.first.url } }), { parent: this });
    new Echo(name + "-echo", { url: this.second.url }, { parent: this });
    this.registerOutputs();
  }
}
const pair = new Pair("pair");
new Pair("nested", { parent: pair });
new Deployment("after", args("after"), { dependsOn: pair });
exports.first = pair.first.url;
`;

test.skipIf(cli.path === undefined)(
  `deployments in components use each other, have a child that uses them, and can be dependencies${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using stack = await createPulumiProject({
      cli: cli.path ?? "",
      kind: "commonjs",
      program,
      environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" },
    });
    const said = async (run: Promise<{ code: number | null; stdout: string; stderr: string }>) => {
      const { code, stdout, stderr } = await run;
      expect(code, stdout + stderr).toBe(0);
      return stdout;
    };
    expect(await said(stack.preview())).toContain("10 to create");
    expect(await said(stack.up())).toContain("10 created");
    const { first } = await stack.outputs();
    const second = (await storedDeployments(mock)).find(({ name }) => name === "pair-second");
    expect(second?.secrets).toContainEqual({ name: "UP", value: first });
    expect(await said(stack.up())).toContain("10 unchanged");
    expect(await said(stack.destroy())).toContain("10 deleted");
    expect(await storedDeployments(mock)).toEqual([]);
  },
);
