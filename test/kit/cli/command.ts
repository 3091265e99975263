import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { MockServer } from "../../../mock-server/server.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { leaksIn } from "../planted-secrets.ts";

/** The built command. */
export const cli = join(checkout, "build", "cli.js");

/** A value that no output may show. */
export const secret = "sk-planted-in-the-file-0001";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with a declarative file, and the command in it, connected to a mock server. */
export interface CommandProject extends Disposable {
  folder: string;
  env: Record<string, string>;
  write(name: string, text: string): void;
  /** Runs the command to its end. No output shows the key or the secret. */
  run(...args: string[]): Promise<CommandResult>;
  start(...args: string[]): ChildProcessWithoutNullStreams;
}

export function createCommandProject(baseUrl: string, env: Record<string, string> = {}): CommandProject {
  const folder = mkdtempSync(join(tmpdir(), "graphdeploy-command-"));
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    GRAPHDEPLOY_BASE_URL: baseUrl,
    GRAPHDEPLOY_API_KEY: "key-of-the-command-test",
    GITHUB_REPOSITORY: "acme/agents",
    GITHUB_WORKSPACE: folder,
    MODEL_API_KEY: secret,
    ...env,
  };
  const key = environment.GRAPHDEPLOY_API_KEY || undefined;
  const start = (...args: string[]) => spawn(process.execPath, [cli, ...args], { cwd: folder, env: environment });
  return {
    folder,
    env: environment,
    write(name, text) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    start,
    async run(...args) {
      const result = await resultOf(start(...args));
      expect(leaksIn(result.stdout + result.stderr, { key: key ?? secret, secret })).toEqual([]);
      if (environment.FORCE_COLOR === undefined) expect(result.stdout + result.stderr).not.toContain("\u001b");
      return result;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a process has printed, once it has ended. */
export async function resultOf(child: ChildProcessWithoutNullStreams): Promise<CommandResult> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** The writes that a mock server has handled, to the control plane and to agent servers, ids left out. */
export function writesOf(mock: MockServer): string[] {
  return mock
    .requests()
    .filter(({ method, path }) => method !== "GET" && !/\/search$|_logs$|_mock/.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")}`);
}

/** The last line of a plan. */
export function summaryOf({ stdout }: CommandResult): string | undefined {
  return stdout.split("\n").find((line) => line.startsWith("Plan:"));
}
