import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../../../scripts/run-command.ts";
import { type ActionResult, actionFile, prepareStep, type StepOptions, stateVariables, withoutMasks } from "./step.ts";

export interface BundleOptions extends StepOptions {
  /** Called with the whole output so far whenever there is more. */
  onOutput?: (soFar: string, child: ChildProcess) => void;
  /** The folder of a job, whose steps share a summary. */
  job?: string;
}

/** Runs the committed bundle like a runner: main, then post, with the files and variables that a runner provides. */
export async function runBundle({ onOutput, job, ...options }: BundleOptions): Promise<ActionResult> {
  await using step = await prepareStep(options);
  const file = (name: string) => join(step.folder, name);
  const summaryFile = join(job ?? step.folder, "summary");
  const commandFiles = ["output", "state", "env", "path"];
  for (const name of commandFiles) await writeFile(file(name), "");
  await writeFile(summaryFile, "", { flag: "a" });
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: step.folder,
    ...Object.fromEntries(commandFiles.map((name) => [`GITHUB_${name.toUpperCase()}`, file(name)])),
    GITHUB_STEP_SUMMARY: summaryFile,
    ...step.env,
  };
  const main = await runStep(actionFile.runs.main, env, step.workspace, onOutput);
  const state = await readValues(file("state"));
  const post = await runStep(actionFile.runs.post, { ...env, ...stateVariables(state) }, step.workspace);
  const summary = await readFile(summaryFile, "utf8");
  const left = await Promise.all(commandFiles.map((name) => readFile(file(name), "utf8")));
  const log = main.log + post.log;
  return {
    code: main.code,
    log,
    mainLog: main.log,
    postLog: post.log,
    outputs: await readValues(file("output")),
    state,
    summary,
    everything: [withoutMasks(log), summary, ...left].join("\n"),
  };
}

function runStep(
  script: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  onOutput: BundleOptions["onOutput"] = () => {},
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
