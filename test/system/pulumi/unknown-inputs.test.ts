import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createPulumiProject, type PulumiResult } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

/** A program whose deployment gets all of its configs from an output that a preview doesn't know. */
const program = `const pulumi = require("@pulumi/pulumi");
const { Deployment } = require("graphdeploy");
class Settings extends pulumi.dynamic.Resource {
  constructor(name) {
    const outs = { repo: "https://github.com/acme/agent", ref: "main", level: "info", key: "sk-value" };
    super({ create: async () => ({ id: "settings", outs }) }, name, { repo: undefined, ref: undefined, level: undefined, key: undefined });
  }
}
const settings = new Settings("settings");
const agent = new Deployment("agent", {
  name: "agent",
  sourceConfig: settings.repo.apply((repoUrl) => ({ repoUrl })),
  sourceRevisionConfig: settings.ref.apply((repoRef) => ({ repoRef, graphConfigPath: "graph.json" })),
  env: settings.level.apply((LEVEL) => ({ LEVEL })),
  secrets: settings.key.apply((KEY) => ({ KEY })),
  timeouts: settings.level.apply(() => ({ create: "5m" })),
});
exports.source = agent.source;
`;

function succeeded(result: PulumiResult): string {
  expect(result.code, result.stdout + result.stderr).toBe(0);
  return result.stdout;
}

test.skipIf(cli.path === undefined)(
  `configs that are unknown in a preview yield the same deployment with and without a preview${suffix}`,
  async () => {
    const states = [];
    for (const flags of [["--yes"], ["--yes", "--skip-preview"]]) {
      await using mock = await startMockServer({ port: 0, transitions: "immediate" });
      await using stack = await createPulumiProject({
        cli: cli.path ?? "",
        kind: "commonjs",
        program,
        environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" },
      });
      succeeded(await stack.preview());
      expect(mock.requests()).toEqual([]);
      succeeded(await stack.run("up", "--stack", stack.stack, ...flags));
      expect(await stack.outputs()).toEqual({ source: "github" });
      const state = await stack.exportStack();
      const { secrets, ...inputs } =
        state.deployment.resources?.find(({ type }) => type.endsWith(":Deployment"))?.inputs ?? {};
      expect(inputs).toMatchObject({ source: "github", sourceConfig: { buildOnPush: false }, secretsVersion: 1 });
      states.push(inputs);
      expect(succeeded(await stack.preview())).toContain("3 unchanged");
      expect(succeeded(await stack.up())).toContain("3 unchanged");
    }
    expect(states[1]).toEqual(states[0]);
  },
);
