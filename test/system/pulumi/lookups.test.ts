import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

const program = (id: string) => `const pulumi = require("@pulumi/pulumi");
const { Deployment } = require("graphdeploy");
const found = Deployment.get("found", ${id});
exports.all = { name: found.name, source: found.source, health: pulumi.interpolate\`\${found.url}/ok\` };
`;

test.skipIf(cli.path === undefined)(
  `Deployment.get returns name, source and URL, and fails for an unknown or empty id${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const { deployments } = await mock.seed({ deployments: [{ name: "theirs", source: "internal_source" }] });
    const id = deployments[0]?.id ?? "";
    await using stack = await createPulumiProject({
      cli: cli.path ?? "",
      kind: "commonjs",
      program: program(JSON.stringify(id)),
      environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" },
    });
    const succeeded = ({ code, stdout, stderr }: PulumiResult) => {
      expect(code, stdout + stderr).toBe(0);
      return stdout;
    };
    const failed = ({ code, stdout, stderr }: PulumiResult) => {
      expect(code, stdout + stderr).not.toBe(0);
      return stdout + stderr;
    };
    succeeded(await stack.preview());
    succeeded(await stack.up());
    const health = `${mock.url}/agents/${id}/ok`;
    expect((await stack.outputs()).all).toEqual({ name: "theirs", source: "internal_source", health });
    succeeded(await stack.up());

    const nowhere = "00000000-0000-4000-8000-00000000abcd";
    const said = `There is no deployment ${nowhere} in the key's workspace at ${mock.url}.`;
    await stack.writeProgram(program(JSON.stringify(nowhere)));
    expect(failed(await stack.preview())).toContain(said);
    expect(failed(await stack.up())).toContain(said);
    await stack.writeProgram(program('" "'));
    expect(failed(await stack.up())).toContain("the id is empty");

    // Destroying the stack doesn't change other owners' deployments.
    succeeded(await stack.refresh());
    succeeded(await stack.destroy());
    expect((await storedDeployments(mock)).map(({ name }) => name)).toEqual(["theirs"]);
  },
);
