import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runtime } from "@pulumi/pulumi";
import { pulumiSdk } from "../test/kit/pulumi/command-line.ts";
import { startDynamicProcess } from "../test/kit/pulumi/dynamic-process.ts";
import { createEngine, type Step } from "../test/kit/pulumi/engine.ts";
import { type LoggedLine, startLogServer } from "../test/kit/pulumi/log-server.ts";
import { checkout } from "./run-command.ts";

interface Demo {
  baseUrl: string;
  apiKey: string;
  heading(text: string): void;
  checkServed(url: string): Promise<void>;
}

/**
 * The demo for a machine without the Pulumi CLI: the same program and the same provider process, with a small engine
 * between them.
 */
export async function demoWithoutCli({ baseUrl, apiKey, heading, checkServed }: Demo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-demo-"));
  try {
    const program = await programFolder(folder);
    Object.assign(process.env, { GRAPHDEPLOY_BASE_URL: baseUrl, GRAPHDEPLOY_API_KEY: apiKey });
    await using log = await startLogServer();
    await using provider = await startDynamicProcess({ cwd: folder, engine: log.address });
    await provider.configure({});
    const engine = createEngine(provider);
    const lines = followLines(log.lines);
    const run = async (ref: string) => {
      runtime.setConfig("program:modelApiKey", "sk-demo-0000");
      runtime.setConfig("program:ref", ref);
      // The query makes Node.js evaluate the module again.
      const steps = await engine.up(() => import(`${pathToFileURL(program)}?run=${Date.now()}`));
      lines.show();
      report(steps);
    };
    const url = () => String(engine.resources.get("agent")?.outputs.url);

    heading("up: creates the deployment and waits until its first revision is DEPLOYED");
    await run("main");
    await checkServed(url());
    heading("up again: nothing changed, so no request writes anything");
    await run("main");
    heading("up with another branch: rolls out a new revision of the same deployment");
    await run("next");
    await checkServed(url());
    heading("destroy: deletes it and waits until it is gone");
    const steps = await engine.destroy();
    lines.show();
    lines.stop();
    report(steps);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function programFolder(folder: string): Promise<string> {
  await mkdir(join(folder, "node_modules", "@pulumi"), { recursive: true });
  await symlink(pulumiSdk, join(folder, "node_modules", "@pulumi", "pulumi"), "dir");
  await symlink(checkout, join(folder, "node_modules", "graphdeploy"), "dir");
  const program = join(folder, "index.mts");
  await cp(join(checkout, "examples/pulumi-quickstart/index.ts"), program);
  return program;
}

/** Prints the provider's status lines as they arrive. */
function followLines(lines: readonly LoggedLine[]): { show(): void; stop(): void } {
  let shown = 0;
  const show = () => {
    const news = lines.slice(shown).filter(({ severity }) => severity !== "debug");
    for (const { message } of news) process.stdout.write(`  agent  ${message}\n`);
    shown = lines.length;
  };
  const timer = setInterval(show, 200);
  return { show, stop: () => clearInterval(timer) };
}

function report(steps: readonly Step[]): void {
  for (const { name, operation, error } of steps) {
    process.stdout.write(`  ${name}  ${operation}${error === undefined ? "" : ` failed: ${error}`}\n`);
    if (error !== undefined) throw new Error(error);
  }
}
