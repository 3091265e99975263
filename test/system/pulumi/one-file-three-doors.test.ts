import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isMarkerName } from "../../../core/client/wire/deployments.ts";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject } from "../../kit/cli/command.ts";
import { fileStep, push } from "../../kit/github/file-steps.ts";
import { runBundle } from "../../kit/github/run-bundle.ts";
import { withoutMasks } from "../../kit/github/step.ts";
import { createPulumiProject, type PulumiProject } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

const file = `version: 1
defaults:
  source: github
  integration: auto
  source_config:
    repo_url: https://github.com/acme/agents
    build_on_push: false
    resource_spec: { min_scale: 1, max_scale: 3 }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
  env: { LOG_LEVEL: info }
deployments:
  search: {}
  support:
    depends_on: [search]
    display_name: Support
    secrets: { TOKEN: "\${TOKEN}" }
environments:
  staging:
    defaults: { env: { LOG_LEVEL: debug } }
    deployments: { search: { name: search-staging }, support: { name: support-staging } }
`;
const token = "sk-planted-three-doors-01";

const program = (adopt: boolean) => `const { DeploymentsFromFile } = require("graphdeploy");
const variables = { TOKEN: ${JSON.stringify(token)} };
new DeploymentsFromFile("agents", { variables, environment: "staging", adopt: ${adopt} });
`;

function startPlatform(): Promise<MockServer> {
  const repositories = [{ url: "https://github.com/acme/agents" }];
  const integrations = [{ id: "11111111-1111-4111-8111-111111111111", name: "acme", repositories }];
  return startMockServer({ port: 0, transitions: "immediate", integrations });
}

interface Door {
  /** Applies the file's environment staging, and returns the exit code (0 or 1) and everything printed. */
  apply(options?: { adopt: boolean }): Promise<{ code: number; output: string }>;
}

function commandLine(mock: MockServer): Door & Disposable {
  const project = createCommandProject(mock.url, { TOKEN: token });
  project.write("graphdeploy.yaml", file);
  return {
    async apply({ adopt } = { adopt: false }) {
      const flags = adopt ? ["--adopt"] : [];
      const { code, stdout, stderr } = await project.run("apply", "--yes", "--environment", "staging", ...flags);
      return { code: code ?? 1, output: stdout + stderr };
    },
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

function action(mock: MockServer): Door {
  return {
    async apply({ adopt } = { adopt: false }) {
      const inputs = { environment: "staging", adopt: String(adopt), "github-environment": "" };
      const event = { ...push("a".repeat(40)), name: "workflow_dispatch" };
      const { code, log } = await runBundle(fileStep(mock, { event, file, inputs, env: { TOKEN: token } }));
      return { code: code ?? 1, output: withoutMasks(log) };
    },
  };
}

async function pulumiProgram(mock: MockServer): Promise<Door & AsyncDisposable> {
  const stack: PulumiProject = await createPulumiProject({
    cli: cli.path ?? "",
    kind: "commonjs",
    program: program(false),
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-1" },
  });
  await writeFile(join(stack.folder, "graphdeploy.yaml"), file);
  return {
    async apply({ adopt } = { adopt: false }) {
      await writeFile(join(stack.folder, "index.js"), program(adopt));
      const { code, stdout, stderr } = await stack.up();
      return { code: code === 0 ? 0 : 1, output: stdout + stderr };
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** What is on the platform, without ids, times and the ownership marker. */
async function stateOf(mock: MockServer): Promise<unknown> {
  const neutral = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (name, part: unknown) => {
      if (Array.isArray(part)) return part.filter((entry) => !isMarkerName((entry as { name?: string })?.name ?? ""));
      if (/(^|_)(id|ids|at|by)$|At(Ms)?$|Id$|^url$|custom_url|customUrl|timeline/.test(name)) return undefined;
      return part;
    });
  const byName = (await storedDeployments(mock)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const revisions = await storedRevisions(mock);
  return { deployments: neutral(byName), revisions: neutral(revisions), count: revisions.length };
}

test.skipIf(cli.path === undefined)(
  `the command line, the Action and a Pulumi program bring a fresh platform to the same state${suffix}`,
  async () => {
    await using first = await startPlatform();
    await using second = await startPlatform();
    await using third = await startPlatform();
    using command = commandLine(first);
    await using stack = await pulumiProgram(third);
    const doors = [
      { mock: first, door: command },
      { mock: second, door: action(second) },
      { mock: third, door: stack },
    ];
    const states: unknown[] = [];
    for (const { mock, door } of doors) {
      const { code, output } = await door.apply();
      expect(code, output).toBe(0);
      expect(output).not.toContain(token);
      states.push(await stateOf(mock));
    }
    expect(states[0]).toMatchObject({
      deployments: [{ name: "search-staging" }, { name: "support-staging" }],
      count: 2,
    });
    expect(states[1]).toEqual(states[0]);
    expect(states[2]).toEqual(states[0]);
  },
);

test.skipIf(cli.path === undefined)(
  `on one platform the second owner is refused until it adopts, and then the first one is refused${suffix}`,
  async () => {
    await using mock = await startPlatform();
    using command = commandLine(mock);
    const workflow = action(mock);
    await using stack = await pulumiProgram(mock);

    expect(await command.apply()).toMatchObject({ code: 0 });
    const ids = (await storedDeployments(mock)).map(({ id }) => id);
    // The file of a repository is one owner, whichever of the two applies it.
    expect(await workflow.apply()).toMatchObject({ code: 0 });

    const owned = "owned by acme/agents#graphdeploy.yaml@staging:search-staging";
    expect(await stack.apply()).toMatchObject({ code: 1, output: expect.stringContaining(owned) });
    const adopted = await stack.apply({ adopt: true });
    expect(adopted.code, adopted.output).toBe(0);
    for (const door of [command, workflow]) {
      const refused = await door.apply();
      expect(refused.code, refused.output).toBe(1);
      expect(refused.output).toContain("owned by pulumi#urn:pulumi:");
    }
    const back = await workflow.apply({ adopt: true });
    expect(back.code, back.output).toBe(0);
    expect(await command.apply()).toMatchObject({ code: 0 });
    expect((await storedDeployments(mock)).map(({ id }) => id)).toEqual(ids);
  },
);
