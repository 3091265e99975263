import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createPulumiProject, type PulumiProject } from "../pulumi/cli.ts";
import { pulumiSdk } from "../pulumi/command-line.ts";
import type { StackKey } from "./commands.ts";
import { project as projectName } from "./declared.ts";
import type { Driver, Entry, Result, RunChoices } from "./driver.ts";
import { readEvents } from "./engine-events.ts";
import type { DeclaredProgram } from "./program.ts";

/** One program for all steps: each step only rewrites the file that it reads. */
const programText = `import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { Deployment, Provider } from "graphdeploy";
import { declare } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "program.ts")).href)};
declare(JSON.parse(readFileSync("declared.json", "utf8")), { pulumi, Deployment, Provider });
`;

/** Preloaded into the provider's process: it writes its id to a file, so that it can be killed, and sleeps less. */
const providerScript = (pidFile: string) => `#!/bin/sh
echo $$ > ${JSON.stringify(pidFile)}
NODE_OPTIONS=${JSON.stringify(`--import=${pathToFileURL(join(import.meta.dirname, "quick-sleeps.ts")).href}`)}
export NODE_OPTIONS
exec node ${JSON.stringify(join(pulumiSdk, "cmd", "dynamic-provider", "index.js"))} "$@"
`;

/** A resource in the file of a stack's state. */
interface WrittenResource extends Entry {
  readonly custom?: boolean;
  readonly external?: boolean;
}

/** The real engine, through its CLI, one command after another. */
export async function startCliDriver(options: {
  cli: string;
  environment: Readonly<Record<string, string>>;
  /** The file in which the engine records all calls. */
  callLog?: string;
}): Promise<Driver> {
  const { callLog } = options;
  let project = await start();
  let names: Record<StackKey, string> = { blue: "blue", green: "green" };

  async function start(): Promise<PulumiProject> {
    const started = await createPulumiProject({
      cli: options.cli,
      kind: "esm",
      program: programText,
      stacks: ["blue", "green"],
      environment: {
        ...options.environment,
        NODE_NO_WARNINGS: "1",
        // The CLI hides the option that writes its events into a file.
        PULUMI_DEBUG_COMMANDS: "true",
        ...(callLog === undefined ? {} : { PULUMI_DEBUG_GRPC: callLog }),
      },
    });
    const script = join(started.folder, ".bin", "pulumi-resource-pulumi-nodejs");
    await rm(script);
    await writeFile(script, providerScript(join(started.folder, "provider.pid")), { mode: 0o755 });
    return started;
  }

  async function succeed(at: PulumiProject, ...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await at.run(...args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }

  async function command(stack: StackKey, name: string, ...args: string[]): Promise<Result> {
    const events = join(project.folder, "events.json");
    await rm(events, { force: true });
    const confirmation =
      name === "preview" || (name === "destroy" && args.includes("--preview-only")) ? [] : ["--yes", "--skip-preview"];
    const run = await project.run(
      name,
      "--stack",
      names[stack],
      "--parallel",
      "1",
      "--event-log",
      events,
      ...confirmation,
      ...args,
    );
    const { steps, warnings, errors } = await readEvents(events);
    const error = run.code === 0 ? undefined : errors.join("\n") || `${run.stdout}${run.stderr}`;
    return { steps, warnings, error };
  }

  const declared = (program: DeclaredProgram) =>
    writeFile(join(project.folder, "declared.json"), JSON.stringify(program));
  const flagsOf = ({ targets = [], replace, refresh }: RunChoices) => [
    ...targets.flatMap((urn) => ["--target", urn]),
    ...(replace === undefined ? [] : ["--replace", replace]),
    ...(refresh === true ? ["--refresh"] : []),
  ];
  const stateFile = (stack: StackKey) =>
    readFile(join(project.folder, ".state", ".pulumi", "stacks", projectName, `${names[stack]}.json`), "utf8");

  return {
    async reset() {
      await project[Symbol.asyncDispose]();
      project = await start();
      names = { blue: "blue", green: "green" };
    },
    nameOf: (stack) => names[stack],
    async preview(stack, program, choices) {
      await declared(program);
      return command(stack, "preview", ...flagsOf(choices));
    },
    async up(stack, program, choices) {
      await declared(program);
      return command(stack, "up", ...flagsOf(choices));
    },
    previewDestroy: (stack, choices) => command(stack, "destroy", "--preview-only", ...flagsOf(choices)),
    destroy: (stack, choices) => command(stack, "destroy", ...flagsOf(choices)),
    refresh: (stack) => command(stack, "refresh"),
    async import(stack, file) {
      await writeFile(join(project.folder, "import.json"), JSON.stringify(file));
      return command(stack, "import", "--file", "import.json", "--generate-code=false");
    },
    taint: (stack, urn) => succeed(project, "state", "taint", urn, "--stack", names[stack], "--yes"),
    async rename(stack, name) {
      await succeed(project, "stack", "rename", name, "--stack", names[stack]);
      names[stack] = name;
    },
    async exportState(stack) {
      await succeed(project, "stack", "export", "--stack", names[stack], "--file", "export.json");
      return JSON.parse(await readFile(join(project.folder, "export.json"), "utf8"));
    },
    async importState(stack, state) {
      await writeFile(join(project.folder, "export.json"), JSON.stringify(state));
      await succeed(project, "stack", "import", "--stack", names[stack], "--file", "export.json");
    },
    async entries(stack) {
      const state = JSON.parse(await stateFile(stack)) as {
        checkpoint: { latest?: { resources?: WrittenResource[] } };
      };
      const resources = state.checkpoint.latest?.resources ?? [];
      return resources
        .filter(({ custom, external, type }) => custom === true && external !== true && !type.startsWith("pulumi:"))
        .map((resource) => ({
          ...resource,
          inputs: resource.inputs ?? {},
          delete: resource.delete === true,
          retainOnDelete: resource.retainOnDelete === true,
          pendingReplacement: resource.pendingReplacement === true,
        }));
    },
    stateText: stateFile,
    async kill() {
      process.kill(Number(await readFile(join(project.folder, "provider.pid"), "utf8")), "SIGKILL");
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}
