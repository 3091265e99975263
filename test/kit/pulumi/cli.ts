import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalWorkspaceOptions, PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { checkout, pulumiPath, pulumiSdk } from "./command-line.ts";
import { initializeStacks } from "./initial-stacks.ts";

/**
 * The kind of program: TypeScript that Pulumi's ts-node runs as CommonJS (the usual template), plain CommonJS, or an ES
 * module.
 */
export type ProgramKind = "typescript" | "commonjs" | "esm";

const entryFile = { typescript: "index.ts", commonjs: "index.js", esm: "index.mjs" } as const satisfies Record<
  ProgramKind,
  string
>;

/** The result of one run of the CLI. `code` is null when a signal ended it. */
export interface PulumiResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the CLI in progress. */
export interface PulumiRun {
  /** The CLI's own process. */
  readonly process: ChildProcess;
  /** The output to stdout and stderr so far, in order of arrival. */
  output(): string;
  /** Waits until the output contains `text`. @throws Error when the CLI ends first */
  printed(text: string | RegExp): Promise<void>;
  /** Sends a signal only to the CLI, as a supervisor does. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the run ends. A failed operation doesn't reject it: check `code`. */
  readonly ended: Promise<PulumiResult>;
}

/** One resource of an exported stack, with the fields that tests use. */
export interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly initErrors?: readonly string[];
}

/** The output of `pulumi stack export`, with the fields that tests use. */
export interface ExportedStack {
  readonly version: number;
  readonly deployment: { readonly resources?: readonly ExportedResource[]; readonly [name: string]: unknown };
}

/** A project in its own folder, with its own backend, home and stack. Disposing it deletes the folder. */
export interface PulumiProject extends AsyncDisposable {
  readonly folder: string;
  /** The name of the stack: `test`. */
  readonly stack: string;
  /** The environment of every run. Tests may add to it, for example the address of a mock server. */
  readonly environment: Record<string, string>;
  /** Replaces the program. */
  writeProgram(source: string): Promise<void>;
  /** Starts `pulumi <args>`, non-interactive. */
  start(...args: string[]): PulumiRun;
  /** Runs `pulumi <args>` to its end. */
  run(...args: string[]): Promise<PulumiResult>;
  preview(...args: string[]): Promise<PulumiResult>;
  up(...args: string[]): Promise<PulumiResult>;
  refresh(...args: string[]): Promise<PulumiResult>;
  destroy(...args: string[]): Promise<PulumiResult>;
  /** Sets a configuration value of the stack, encrypted when `secret`. */
  setConfig(key: string, value: string, options?: { secret?: boolean }): Promise<void>;
  exportStack(): Promise<ExportedStack>;
  /** Imports into the stack, or into the one of this name. */
  importStack(state: ExportedStack, into?: string): Promise<PulumiResult>;
  /** The stack's outputs, secrets in plain text. */
  outputs(): Promise<Record<string, unknown>>;
}

/** Options of {@link createPulumiProject}. */
export interface ProjectOptions {
  /** The CLI's executable. */
  readonly cli: string;
  readonly kind: ProgramKind;
  /** The source of the program, in the syntax of `kind`. */
  readonly program: string;
  /** Added to the environment of every run. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The stacks to begin with. @default ["test"] */
  readonly stacks?: readonly string[];
}

const passphrase = "a passphrase for tests";

async function linkPackages(folder: string): Promise<void> {
  await mkdir(join(folder, "node_modules", "@pulumi"), { recursive: true });
  await symlink(pulumiSdk, join(folder, "node_modules", "@pulumi", "pulumi"), "dir");
  await symlink(checkout, join(folder, "node_modules", "graphdeploy"), "dir");
}

async function backendEnvironment(folder: string, cli: string): Promise<Record<string, string>> {
  await mkdir(join(folder, ".state"));
  return {
    PATH: await pulumiPath(cli, join(folder, ".bin")),
    PULUMI_BACKEND_URL: `file://${join(folder, ".state")}`,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_HOME: join(folder, ".home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

// The tests' own settings must not reach a program, which sees only what its test sets.
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(GRAPHDEPLOY|LANGSMITH|LANGGRAPH|LANGCHAIN|PULUMI)_|^VITEST/.test(name),
    ),
  );
}

function startCommand(
  cli: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string>,
): PulumiRun {
  const child = spawn(cli, [...args], {
    cwd,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let all = "";
  const listeners = new Set<() => void>();
  const heard = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    all += text;
    heard();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    all += text;
    heard();
  });
  const ended = new Promise<PulumiResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    output: () => all,
    signal: (signal) => void child.kill(signal),
    printed: (text) => {
      const matches = () => (typeof text === "string" ? all.includes(text) : text.test(all));
      return new Promise((resolve, reject) => {
        const listener = () => {
          if (!matches()) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
        listener();
        ended.then(() => reject(new Error(`pulumi ended before it printed ${text}:\n${all}`)), reject);
      });
    },
  };
}

/**
 * Creates a project folder with an empty stack. `graphdeploy` is linked to this checkout (build it first), and
 * `@pulumi/pulumi` to the installed one.
 *
 * @throws Error when the CLI can't create the stack
 */
export async function createPulumiProject(options: ProjectOptions): Promise<PulumiProject> {
  const { cli, kind } = options;
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-project-"));
  const stack = "test";
  const environment = { ...(await backendEnvironment(folder, cli)), ...options.environment };
  await linkPackages(folder);
  const manifest = {
    name: "program",
    private: true,
    type: kind === "esm" ? "module" : "commonjs",
    main: entryFile[kind],
    dependencies: { "@pulumi/pulumi": "*", graphdeploy: "*" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const typescript = kind === "typescript";
  await writeFile(
    join(folder, "Pulumi.yaml"),
    `name: program\nruntime:\n  name: nodejs\n  options:\n    typescript: ${typescript}\n`,
  );
  if (typescript) {
    // Pulumi's template, with the flag for TypeScript 6 to accept the old module resolution.
    const compilerOptions = {
      strict: true,
      target: "es2020",
      module: "commonjs",
      moduleResolution: "node",
      esModuleInterop: true,
      ignoreDeprecations: "6.0",
      skipLibCheck: true,
      types: [],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  }
  const start = (...args: string[]) => startCommand(cli, [...args, "--non-interactive"], folder, environment);
  const run = (...args: string[]) => start(...args).ended;
  const succeed = async (...args: string[]) => {
    const result = await run(...args);
    if (result.code !== 0) throw new Error(`pulumi ${args[0]} ${args[1]} failed:\n${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const project: PulumiProject = {
    folder,
    stack,
    environment,
    start,
    run,
    writeProgram: (source) => writeFile(join(folder, entryFile[kind]), source),
    preview: (...args) => run("preview", "--stack", stack, ...args),
    up: (...args) => run("up", "--stack", stack, "--yes", "--skip-preview", ...args),
    refresh: (...args) => run("refresh", "--stack", stack, "--yes", "--skip-preview", ...args),
    destroy: (...args) => run("destroy", "--stack", stack, "--yes", "--skip-preview", ...args),
    setConfig: async (key, value, { secret = false } = {}) => {
      await succeed("config", "set", "--stack", stack, secret ? "--secret" : "--plaintext", key, value);
    },
    exportStack: async () => JSON.parse(await succeed("stack", "export", "--stack", stack)) as ExportedStack,
    importStack: async (state, into = stack) => {
      const file = join(folder, "import.json");
      await writeFile(file, JSON.stringify(state));
      return run("stack", "import", "--stack", into, "--file", file);
    },
    outputs: async () =>
      JSON.parse(await succeed("stack", "output", "--stack", stack, "--json", "--show-secrets")) as Record<
        string,
        unknown
      >,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  await project.writeProgram(options.program);
  const inherited = { ...inheritedEnvironment(), ...environment };
  await initializeStacks(options.stacks ?? [stack], { folder, cli, environment: inherited });
  return project;
}

/** A stack whose program is a function of the test. Disposing it deletes its folder. */
export interface InlineProject extends AsyncDisposable {
  readonly stack: Stack;
  readonly folder: string;
}

/**
 * An inline program of the Automation API, with a file backend of its own.
 *
 * @param options.cli the CLI's executable
 * @param options.environment added to the environment of the CLI and of the dynamic provider; the program itself runs
 * in the test's process
 */
export async function createInlineProject(options: {
  readonly cli: string;
  readonly program: PulumiFn;
  readonly environment?: Readonly<Record<string, string>>;
}): Promise<InlineProject> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-inline-"));
  await linkPackages(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "program", private: true }));
  const envVars = { ...(await backendEnvironment(folder, options.cli)), ...options.environment };
  const workspace: LocalWorkspaceOptions = {
    workDir: folder,
    envVars,
    pulumiCommand: await installedCommand(options.cli, folder),
    projectSettings: { name: "program", runtime: "nodejs" },
  };
  const stack = await LocalWorkspace.createStack(
    { stackName: "test", projectName: "program", program: options.program },
    workspace,
  );
  return { stack, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

// The Automation API searches `<root>/bin/pulumi`; for a CLI elsewhere, this makes a root with links.
async function installedCommand(cli: string, folder: string): Promise<PulumiCommand> {
  const root = join(folder, ".cli");
  await mkdir(join(root, "bin"), { recursive: true });
  await symlink(cli, join(root, "bin", "pulumi"));
  return PulumiCommand.get({ root });
}
