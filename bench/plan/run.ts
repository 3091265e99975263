// Measures `plan` of a declarative file: 200 deployments beside one request for each, and of one deployment as a command
// beside the deploy CLI's `list`; and the command's start beside Node.js itself. `node bench/plan/run.ts`, after
// `node scripts/build.ts`. The deploy CLI is measured where Python 3 with venv is there.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentServer } from "../../core/client/agent-server.ts";
import { ControlPlane } from "../../core/client/client.ts";
import { readDeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import { applyFile } from "../../core/reconcile/file/apply.ts";
import { fileOwner } from "../../core/reconcile/file/owner.ts";
import { planFile } from "../../core/reconcile/file/plan.ts";
import { checkout } from "../../scripts/run-command.ts";
import { startBuiltMock } from "../../test/kit/clients/built-server.ts";
import { virtualEnvironment } from "../../test/kit/python/virtual-environment.ts";

const deployments = 200;
const rounds = 20;

const header = `version: 1
defaults:
  source: github
  source_config: { repo_url: "https://github.com/acme/agents", integration_id: integration-1 }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
deployments:
`;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Takes turns, A B A B, and returns the median time of each in milliseconds. */
async function inTurns(first: () => unknown, second: () => unknown): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, act] of [first, second].entries()) {
      const startedAt = performance.now();
      await act();
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return [median(times[0]), median(times[1])];
}

await using mock = await startBuiltMock("--transitions", "immediate");
const folder = await mkdtemp(join(tmpdir(), "graphdeploy-bench-"));
try {
  const settings = { apiKey: "key", baseUrl: mock.url, agentHosts: [], allowHttpHosts: [] };
  const client = new ControlPlane(settings);
  const connect = (url: string) => new AgentServer({ url, settings });
  const options = { owner: fileOwner({ repository: "acme/agents", path: "graphdeploy.yaml" }), connect };
  const text = header + Array.from({ length: deployments }, (_, index) => `  agent-${index}: {}\n`).join("");
  const file = readDeclarativeFile(text, { path: "graphdeploy.yaml", env: {}, readFile: () => "" });
  await applyFile(client, file, await planFile(client, file, options), { ...options, parallel: 50 });
  const ids = (await client.deployments.list().all()).map(({ id }) => id);
  const journal = `${mock.url}/_mock/requests`;
  await fetch(journal, { method: "DELETE" });
  await planFile(client, file, options);
  const { requests } = (await (await fetch(journal)).json()) as { requests: unknown[] };
  const [planned, read] = await inTurns(
    () => planFile(client, file, options),
    async () => {
      for (const id of ids) await client.deployments.get(id);
    },
  );

  await writeFile(join(folder, "graphdeploy.yaml"), `${header}  agent-0: {}\n`);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GRAPHDEPLOY_API_KEY: "key",
    GRAPHDEPLOY_BASE_URL: mock.url,
    GITHUB_REPOSITORY: "acme/agents",
    LANGSMITH_API_KEY: "key",
    LANGGRAPH_CLI_NO_ANALYTICS: "1",
  };
  const run = (program: string, ...args: readonly string[]) => {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  };
  const cli = join(checkout, "build", "cli.js");
  const [version, nothing] = await inTurns(
    () => run(process.execPath, cli, "--version"),
    () => run(process.execPath, "-e", "0"),
  );
  const imports = 'await import("undici"); await import("zod"); await import("yaml")';
  const [planOfOne, libraries] = await inTurns(
    () => run(process.execPath, cli, "plan"),
    () => spawnSync(process.execPath, ["--input-type=module", "-e", imports], { cwd: checkout, env }),
  );
  const python = await virtualEnvironment("langgraph-cli==0.4.40");
  const list = ["-m", "langgraph_cli", "deploy", "list", "--host-url", mock.url];
  const peer =
    python.missing === undefined
      ? await inTurns(
          () => run(process.execPath, cli, "plan"),
          () => run(python.command("python"), ...list),
        )
      : undefined;

  const ms = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`;
  const rows = [
    `| plan of ${deployments} deployments, ${requests.length} requests | ${ms(planned)} | ${deployments} requests, one after another | ${ms(read)} | 1/${(read / planned).toFixed(1)} | 1/5 |`,
    `| \`graphdeploy --version\` | ${ms(version)} | \`node -e 0\` | ${ms(nothing)} | ${(version / nothing).toFixed(2)} | 1.5 |`,
    `| \`graphdeploy plan\` of one deployment | ${ms(planOfOne)} | Node.js that imports undici, zod and yaml, no more | ${ms(libraries)} | ${(planOfOne / libraries).toFixed(2)} | – |`,
    peer === undefined
      ? `| \`graphdeploy plan\` of one deployment | – | not measured: ${python.missing} | – | – | 1/3 |`
      : `| \`graphdeploy plan\` of one deployment | ${ms(peer[0])} | the deploy CLI's \`list\` (langgraph-cli 0.4.40) | ${ms(peer[1])} | 1/${(peer[1] / peer[0]).toFixed(1)} | 1/3 |`,
  ];
  const results = `# Planning a declarative file

Each row takes turns, A B A B, ${rounds} times; medians. The mock server is a process of its own, with ${deployments} deployments that are as the
file declares them. Requests are counted by its journal.

Command: \`node bench/plan/run.ts\`. Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}.

| measured | time | beside | time | ratio | aim |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
  await writeFile(fileURLToPath(new URL("results.md", import.meta.url)), results);
  process.stdout.write(results);
} finally {
  await rm(folder, { recursive: true });
}
