import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { deploymentProgram, githubArgs } from "../../kit/pulumi/program.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const value = "sk-set-by-hand-7777";

test.skipIf(cli.path === undefined)(
  `a secret set by hand beside a declared env is refreshed without its value and kept${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using stack = await createPulumiProject({
      cli: cli.path ?? "",
      kind: "commonjs",
      program: deploymentProgram("commonjs", githubArgs({ env: { LOG_LEVEL: "info" } })),
      environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "any-key" },
    });
    await stack.up();
    const { id } = await stack.outputs();
    const address = `${mock.url}/v2/deployments/${id}`;
    const headers = { "x-api-key": "any-key", "content-type": "application/json" };
    const names = async () => {
      const { secrets } = (await (await fetch(address, { headers })).json()) as { secrets: { name: string }[] };
      return secrets.map(({ name }) => name).sort();
    };
    const { secrets } = (await (await fetch(address, { headers })).json()) as { secrets: object[] };
    const body = JSON.stringify({ secrets: [...secrets, { name: "KEY", value }] });
    await fetch(address, { method: "PATCH", headers, body });
    expect(await names()).toContain("KEY");

    const runs = [await stack.refresh("--diff"), await stack.preview("--diff")];
    for (const file of await readdir(join(stack.folder, ".state"), { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(value);
    }
    runs.push(await stack.up("--diff"));
    for (const { code, stdout, stderr } of runs) {
      expect(code, stdout + stderr).toBe(0);
      expect(stdout + stderr).not.toContain(value);
    }
    expect(await names()).toEqual(["GRAPHDEPLOY_MANAGED_BY", "KEY", "LOG_LEVEL"]);
  },
);
