import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { checkout } from "../../../scripts/run-command.ts";

interface ActionFile {
  inputs: Record<string, { default?: string; required?: boolean; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string; post: string };
}

export const actionFile = parse(await readFile(join(checkout, "action.yml"), "utf8")) as ActionFile;

/** The event of the workflow run. */
export interface ActionEvent {
  name: string;
  ref?: string;
  sha?: string;
  payload?: object;
}

export interface ActionOptions {
  event: ActionEvent;
  /** Inputs of the step; the others have the defaults of `action.yml`. */
  inputs: Readonly<Record<string, string>>;
  /** `GITHUB_API_URL`. */
  githubUrl?: string;
  env?: Readonly<Record<string, string>>;
  /** Files of the checkout, by path. */
  files?: Readonly<Record<string, string>>;
  /** Called with the whole output so far whenever there is more. */
  onOutput?: (soFar: string, child: ChildProcess) => void;
  /** The folder of a job, whose steps share a summary. */
  job?: string;
}

export interface ActionResult {
  code: number | null;
  /** The output of both steps: main, then post. */
  log: string;
  mainLog: string;
  postLog: string;
  outputs: Readonly<Record<string, string>>;
  state: Readonly<Record<string, string>>;
  summary: string;
  /**
   * Everything that the step wrote anywhere, to search for what must not be there. Lines that mask a secret are left
   * out.
   */
  everything: string;
}

export const token = "ghs_token-of-the-workflow";

/** Runs the committed bundle like a runner: main, then post, with the files and variables that a runner provides. */
export async function runAction(options: ActionOptions): Promise<ActionResult> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-action-"));
  try {
    return await runIn(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string, options: ActionOptions): Promise<ActionResult> {
  const { event, inputs, files = {}, githubUrl = "http://127.0.0.1:9" } = options;
  const file = (name: string) => join(folder, name);
  const summaryFile = join(options.job ?? folder, "summary");
  const workspace = file("workspace");
  await mkdir(workspace);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(workspace, path, ".."), { recursive: true });
    await writeFile(join(workspace, path), content);
  }
  await writeFile(file("event.json"), JSON.stringify(event.payload ?? {}));
  for (const name of ["output", "state", "env", "path"]) await writeFile(file(name), "");
  await writeFile(summaryFile, "", { flag: "a" });
  const given: Record<string, string> = {};
  for (const [name, { default: fallback = "" }] of Object.entries(actionFile.inputs)) {
    const value = inputs[name] ?? fallback.replace(/^\$\{\{ github\.token \}\}$/, token);
    given[`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`] = value;
  }
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: folder,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: "acme/agents",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_API_URL: githubUrl,
    GITHUB_RUN_ID: "77",
    GITHUB_EVENT_NAME: event.name,
    GITHUB_REF: event.ref ?? "",
    GITHUB_SHA: event.sha ?? "",
    GITHUB_EVENT_PATH: file("event.json"),
    GITHUB_OUTPUT: file("output"),
    GITHUB_STATE: file("state"),
    GITHUB_ENV: file("env"),
    GITHUB_PATH: file("path"),
    GITHUB_STEP_SUMMARY: summaryFile,
    ...given,
    ...options.env,
  };
  const main = await runStep(actionFile.runs.main, env, workspace, options.onOutput);
  const state = await readValues(file("state"));
  const stateEnv = Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
  const post = await runStep(actionFile.runs.post, { ...env, ...stateEnv }, workspace);
  const summary = await readFile(summaryFile, "utf8");
  const left = await Promise.all(["output", "state", "env", "path"].map((name) => readFile(file(name), "utf8")));
  const log = main.log + post.log;
  const unmasked = log.replaceAll(/^::add-mask::.*$/gm, "");
  return {
    code: main.code,
    log,
    mainLog: main.log,
    postLog: post.log,
    outputs: await readValues(file("output")),
    state,
    summary,
    everything: [unmasked, summary, ...left].join("\n"),
  };
}

function runStep(
  script: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  onOutput: ActionOptions["onOutput"] = () => {},
): Promise<{ code: number | null; log: string }> {
  const child = spawn(process.execPath, [join(checkout, script)], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const take = (chunk: Buffer) => {
    log += chunk.toString("utf8");
    onOutput(log, child);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, log }));
  });
}

/** Reads a file command's `name<<delimiter` blocks; of several values for one name the last counts. */
async function readValues(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, "utf8");
  const blocks = text.matchAll(/^(.+?)<<(\S+)\r?\n([\s\S]*?)\r?\n\2\r?$/gm);
  return Object.fromEntries([...blocks].map(([, name = "", , value = ""]) => [name, value]));
}

/** A new commit. */
export function someCommit(): string {
  return randomUUID().replaceAll("-", "").padEnd(40, "0");
}
