import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { startProject } from "../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { apiOf } from "../../kit/mock-server/api.ts";
import { createPulumiProject } from "../../kit/pulumi/cli.ts";
import { checkout, pulumiCli, pulumiSdk } from "../../kit/pulumi/command-line.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

test.skipIf(cli.path === undefined)(`the Pulumi quick start deploys and is destroyed${suffix}`, async () => {
  await deployExample("pulumi-quickstart", async ({ url, status }) => {
    expect(status).toBe("DEPLOYED");
    expect(await (await fetch(`${url}/ok`)).json()).toEqual({ ok: true });
  });
});

test.skipIf(cli.path === undefined)(`the Pulumi program with a file deploys both agents${suffix}`, async () => {
  await deployExample("pulumi-from-file", async ({ urls }) => {
    expect(Object.keys(urls as object).toSorted()).toEqual(["search", "support"]);
    for (const url of Object.values(urls as Record<string, string>)) {
      expect(await (await fetch(`${url}/ok`)).json()).toEqual({ ok: true });
    }
  });
});

/** Deploys an example to a mock server, passes its outputs to `inspect`, and destroys it. */
async function deployExample(
  example: string,
  inspect: (outputs: Record<string, unknown>) => Promise<void>,
): Promise<void> {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using project = await createPulumiProject({
    cli: cli.path ?? "",
    kind: "typescript",
    program: "",
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "any-key" },
  });
  await cp(join(checkout, "examples", example), project.folder, { recursive: true });
  const pulumi = async (...args: string[]) => {
    const { code, stdout, stderr } = await project.run(...args);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  await pulumi("stack", "init", "dev");
  await pulumi("config", "set", "--stack", "dev", "--secret", "modelApiKey", "sk-example");
  await pulumi("up", "--stack", "dev", "--yes", "--skip-preview");
  await inspect(JSON.parse(await pulumi("stack", "output", "--stack", "dev", "--json")));
  await pulumi("destroy", "--stack", "dev", "--yes", "--skip-preview");
}

test.each([
  { example: "vitest-mock-server", tests: 2 },
  { example: "pulumi-unit-test", tests: 1 },
])("the tests of the example $example pass in a project of their own", async ({ example, tests }) => {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-example-"));
  try {
    await cp(join(checkout, "examples", example), folder, { recursive: true });
    await mkdir(join(folder, "node_modules", "@pulumi"), { recursive: true });
    await symlink(checkout, join(folder, "node_modules", "graphdeploy"), "dir");
    await symlink(pulumiSdk, join(folder, "node_modules", "@pulumi", "pulumi"), "dir");
    await symlink(join(checkout, "node_modules", "vitest"), join(folder, "node_modules", "vitest"), "dir");
    const { code, output } = await runVitest(folder);
    expect(code, output).toBe(0);
    expect(output).toContain(`${tests} passed`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the graph of the example project interrupts, and resumes with an answer", async () => {
  const project = await readGraphConfig(join(checkout, "examples/graph-project/graph.json"));
  await using running = await startProject(project);
  const projectOf = async () => running;
  await using server = await startDevServer(0, "127.0.0.1", createGraphAgentServer({ projectOf }));
  const client = new Client({ apiUrl: server.url, apiKey: null });
  const { thread_id: threadId } = await client.threads.create();
  const interrupted = await client.runs.wait(threadId, "mail", { input: { topic: "refunds" } });
  const draft = "From support@example.com: about refunds";
  expect(interrupted).toMatchObject({ __interrupt__: [{ value: { question: "Send it?", draft } }] });
  const done = await client.runs.wait(threadId, "mail", { command: { resume: "yes" } });
  expect(done).toEqual({ topic: "refunds", draft, sent: true });
});

test("the desk asks the translator by both protocols, on dev and in a deployment with a public address", async () => {
  const folder = join(checkout, "examples/agents-calling-agents");
  const expected = { text: "Guten Tag", byMcp: "Good day", byA2a: "Good day" };
  const ask = async (url: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ assistant_id: "desk", input: { text: "Guten Tag" } });
    return (await fetch(`${url}/runs/wait`, { method: "POST", headers, body })).json();
  };
  await using running = await startProject(await readGraphConfig(join(folder, "graph.json")));
  const projectOf = async () => running;
  await using dev = await startDevServer(0, "127.0.0.1", createGraphAgentServer({ projectOf }));
  expect(await ask(dev.url)).toEqual(expected);

  const repository = "https://github.com/acme/desk";
  await using mock = await startMockServer({
    port: 0,
    transitions: "immediate",
    publicUrl: "https://agents.example.com",
    repositories: { [repository]: folder },
  });
  const { body } = await apiOf(mock.url)("POST", "/v2/deployments", {
    name: "desk",
    source: "github",
    source_config: { integration_id: crypto.randomUUID(), repo_url: repository, deployment_type: "dev" },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  });
  expect(body).toMatchObject({ name: "desk" });
  expect(await ask(`${mock.url}/agents/${body.id}`, { "x-api-key": "any-key" })).toEqual(expected);
});

function runVitest(cwd: string): Promise<{ code: number | null; output: string }> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  const script = join(dirname(dirname(import.meta.dirname)), "..", "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [script, "run"], { cwd, env: { ...environment, NO_COLOR: "1" } });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
