import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const program = fileURLToPath(new URL("../../../build/cli.js", import.meta.url));
const projects = new URL("../../fixtures/graph-projects/", import.meta.url);

/** A server of the built package in its own process. */
export interface BuiltServer extends AsyncDisposable {
  url: string;
  /** The output so far. */
  readonly output: string;
}

/** Starts `graphdeploy dev` with a project under test/fixtures/graph-projects, or with the built-in graphs. */
export function startBuiltDev(project?: string, file = "langgraph.json"): Promise<BuiltServer> {
  const config = project === undefined ? [] : ["--config", fileURLToPath(new URL(`${project}/${file}`, projects))];
  return start("dev", ...config);
}

/** Starts `graphdeploy mock`. */
export function startBuiltMock(...flags: string[]): Promise<BuiltServer> {
  return start("mock", ...flags);
}

async function start(...args: string[]): Promise<BuiltServer> {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const child = spawn(process.execPath, [program, ...args, "--port", "0", "--log-format", "json"], { cwd });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (piece) => {
      output += piece;
    });
  }
  const [first] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "close")]);
  if (typeof first !== "string") throw new Error(`The command has ended before it served: ${output}`);
  return {
    url: JSON.parse(first).url,
    get output() {
      return output;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    },
  };
}
