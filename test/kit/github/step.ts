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

export interface StepOptions {
  event: ActionEvent;
  /** Inputs of the step; the others have the defaults of `action.yml`. */
  inputs: Readonly<Record<string, string>>;
  /** `GITHUB_API_URL`. */
  githubUrl?: string;
  env?: Readonly<Record<string, string>>;
  /** Files of the checkout, by path. */
  files?: Readonly<Record<string, string>>;
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

/** A step's folder, which is removed at the end, its checkout in there, and its variables. */
export interface Step extends AsyncDisposable {
  folder: string;
  workspace: string;
  env: Readonly<Record<string, string>>;
}

/** Writes the event and the checkout of a step. */
export async function prepareStep({ event, inputs, files = {}, ...options }: StepOptions): Promise<Step> {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-action-"));
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(workspace, path, ".."), { recursive: true });
    await writeFile(join(workspace, path), content);
  }
  const eventFile = join(folder, "event.json");
  await writeFile(eventFile, JSON.stringify(event.payload ?? {}));
  const given = Object.entries(actionFile.inputs).map(([name, { default: fallback = "" }]) => [
    `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
    inputs[name] ?? fallback.replace(/^\$\{\{ github\.token \}\}$/, token),
  ]);
  const env = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: "acme/agents",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_API_URL: options.githubUrl ?? "http://127.0.0.1:9",
    GITHUB_RUN_ID: "77",
    GITHUB_EVENT_NAME: event.name,
    GITHUB_REF: event.ref ?? "",
    GITHUB_SHA: event.sha ?? "",
    GITHUB_EVENT_PATH: eventFile,
    ...Object.fromEntries(given),
    ...options.env,
  };
  return { folder, workspace, env, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** The variables of the post step for what the main step saved. */
export function stateVariables(state: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
}

/** A log without the lines that mask a secret. */
export function withoutMasks(log: string): string {
  return log.replaceAll(/^::add-mask::.*$/gm, "");
}

/** A new commit. */
export function someCommit(): string {
  return randomUUID().replaceAll("-", "").padEnd(40, "0");
}
