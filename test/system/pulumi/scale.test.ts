import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { manyDeployments } from "../../kit/pulumi/program.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const count = 100;

test.skipIf(cli.path === undefined)(
  `a hundred deployments of one stack are live after one up, each written once${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "time:2s" });
    await using project = await createPulumiProject({
      cli: cli.path ?? "",
      kind: "commonjs",
      program: manyDeployments(count),
      environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-of-the-scale-test" },
    });
    const written = () => mock.requests().filter(({ method }) => method !== "GET");
    const up = await project.up("--parallel", String(count));
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const { resources = [] } = (await project.exportStack()).deployment;
    expect(resources.filter(({ outputs }) => outputs?.revisionStatus === "DEPLOYED")).toHaveLength(count);
    expect(await storedDeployments(mock)).toHaveLength(count);
    expect(written().map(({ method, status }) => `${method} ${status}`)).toEqual(Array(count).fill("POST 201"));

    const again = await project.up("--parallel", String(count));
    expect(again.stdout, again.stdout + again.stderr).toContain(`${count + 1} unchanged`);
    expect(written()).toHaveLength(count);
  },
);
