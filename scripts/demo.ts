// `npm run demo`: a real Pulumi program against the bundled mock server, from preview to destroy.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startMockServer } from "../mock-server/server.ts";
import { createPulumiProject, type PulumiProject } from "../test/kit/pulumi/cli.ts";
import { buildPackageIfStale } from "./build-package.ts";
import { demoWithoutCli } from "./demo-without-cli.ts";
import { getPulumi } from "./get-pulumi.mjs";
import { checkout } from "./run-command.ts";

const apiKey = "demo-key";
const isTerminal = process.stdout.isTTY === true;

function heading(text: string): void {
  process.stdout.write(isTerminal ? `\n\u001b[1m▶ ${text}\u001b[0m\n\n` : `\n== ${text}\n\n`);
}

/** Prints the CLI's lines as they arrive, without empty ones and those that only occur in this checkout. */
function isWorthShowing(line: string): boolean {
  return !/from \$PATH at |^@ (updating|previewing|destroying)|Stack \S+ running\s*$|\d+ warnings?\s*$|^\s*$/.test(
    line,
  );
}

async function pulumi(project: PulumiProject, ...args: string[]): Promise<void> {
  const run = project.start(...args);
  let rest = "";
  const show = (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(isWorthShowing)) process.stdout.write(`  ${line}\n`);
  };
  run.process.stdout?.on("data", show);
  run.process.stderr?.on("data", show);
  const interrupt = () => run.signal("SIGINT");
  process.once("SIGINT", interrupt);
  const { code } = await run.ended;
  process.off("SIGINT", interrupt);
  if (code !== 0) throw new Error(`pulumi ${args[0]} ended with ${code}.`);
}

async function demoWithCli(cli: string, baseUrl: string): Promise<void> {
  await using project = await createPulumiProject({
    cli,
    kind: "typescript",
    program: await readFile(join(checkout, "examples/pulumi-quickstart/index.ts"), "utf8"),
    environment: { GRAPHDEPLOY_BASE_URL: baseUrl, GRAPHDEPLOY_API_KEY: apiKey },
  });
  await project.setConfig("modelApiKey", "sk-demo-0000", { secret: true });
  const up = ["up", "--stack", project.stack, "--yes", "--skip-preview", "--suppress-outputs"];

  heading("pulumi preview: what would be done");
  await pulumi(project, "preview", "--stack", project.stack);

  heading("pulumi up: creates the deployment and waits until its first revision is DEPLOYED");
  await pulumi(project, ...up);
  const { url, revision } = await project.outputs();
  await checkServed(String(url));

  heading("pulumi up again: nothing changed, so no request writes anything");
  await pulumi(project, ...up);

  heading("pulumi up with another branch: rolls out a new revision of the same deployment");
  await project.setConfig("ref", "next");
  await pulumi(project, ...up);
  const { revision: second } = await project.outputs();
  process.stdout.write(`  Revision ${revision}\n        → ${second}\n`);
  await checkServed(String(url));

  heading("pulumi destroy: deletes it and waits until it is gone");
  await pulumi(project, "destroy", "--stack", project.stack, "--yes", "--skip-preview");
  const gone = await fetch(`${url}/ok`);
  process.stdout.write(`  GET ${url}/ok → ${gone.status} ${await gone.text()}\n`);
}

async function checkServed(url: string): Promise<void> {
  const response = await fetch(`${url}/ok`);
  process.stdout.write(
    `\n  The deployment is served at ${url}\n  GET ${url}/ok → ${response.status} ${await response.text()}\n`,
  );
}

heading("Getting ready");
await buildPackageIfStale();
const cli = await getPulumi({ log: (line) => process.stderr.write(`  pulumi: ${line}\n`) });
await using mock = await startMockServer({ port: 0, transitions: "time:8s" });
process.stdout.write(`  Control plane (mock)  ${mock.url}\n  API reference         ${mock.url}/docs\n`);

try {
  if ("path" in cli) await demoWithCli(cli.path, mock.url);
  else {
    process.stdout.write(
      `  There is no Pulumi CLI here (${cli.reason}), so this drives Pulumi's provider process itself.\n`,
    );
    await demoWithoutCli({ baseUrl: mock.url, apiKey, heading, checkServed });
  }
  heading("Done. The program is examples/pulumi-quickstart/index.ts");
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
