import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { codeBlocks, markdownPages } from "../../kit/docs/markdown.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { checkout, pulumiCli } from "../../kit/pulumi/command-line.ts";
import { run } from "../../kit/python/run.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

/** The commands of a tutorial that this file runs. */
function commandsOf(name: string): string[] {
  const page = markdownPages().filter(({ path }) => path === `docs/tutorials/${name}`);
  return page
    .flatMap(codeBlocks)
    .filter(({ comment }) => comment === "run by test/system/examples/tutorials.test.ts")
    .map(({ code }) => code);
}

const shell = (script: string, env: Record<string, string> = {}, cwd = checkout) =>
  run("sh", ["-uc", script], { cwd, env });

test.skipIf(cli.path === undefined)(
  `the commands of first-deployment.md deploy, fail, recover and delete${suffix}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await using project = await createPulumiProject({ cli: cli.path ?? "", kind: "typescript", program: "" });
    await cp(join(checkout, "examples/pulumi-quickstart"), project.folder, { recursive: true });
    const environment = {
      ...project.environment,
      GRAPHDEPLOY_BASE_URL: mock.url,
      GRAPHDEPLOY_API_KEY: "any-key",
      PULUMI_SKIP_CONFIRMATIONS: "true",
    };
    const commands = commandsOf("first-deployment.md").map((code) =>
      code
        .replaceAll("http://127.0.0.1:8124", mock.url)
        // The project has its own backend and passphrase.
        .replaceAll(/^(?:export PULUMI_CONFIG_PASSPHRASE=|pulumi login --local)$/gm, ""),
    );
    const outputs: string[] = [];
    for (const command of commands) outputs.push((await shell(command, environment, project.folder)).output);
    const [deployed, requested, changed, broken, destroyed] = outputs;
    expect(deployed).toContain("2 created");
    expect(requested).toContain('{"ok":true}');
    expect(changed).toMatch(/2 unchanged[\s\S]*1 updated/);
    expect(broken).toMatch(/no such package[\s\S]*DEPLOYED[\s\S]*1 updated/);
    expect(destroyed).toContain("2 deleted");
  },
);

test("the requests of run-graphs-offline.md are interrupted and resumed", async () => {
  const config = await readGraphConfig(join(checkout, "examples/graph-project/graph.json"));
  await using running = await startProject(config);
  const projectOf = async () => running;
  await using server = await startDevServer(0, "127.0.0.1", createGraphAgentServer({ projectOf }));
  const [requests = ""] = commandsOf("run-graphs-offline.md");
  const { output } = await shell(requests.replaceAll("http://127.0.0.1:2024", server.url));
  expect(output).toContain("Send it?");
  expect(output).toContain('"sent":true');
});
