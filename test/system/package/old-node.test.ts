import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeVersionProblem } from "../../../core/node-version.ts";
import { checkout } from "../../../scripts/run-command.ts";

/** A Node.js on this machine that is older than the package supports. */
function findOldNode(): { path: string; version: string } | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
  for (const path of new Set(folders.map((folder) => join(folder, "node")))) {
    if (!existsSync(path)) continue;
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
    if (/^v\d+\./.test(version) && nodeVersionProblem(version) !== undefined) return { path, version };
  }
  return undefined;
}

const old = findOldNode();
const suffix = old === undefined ? " (skipped: there is no Node.js below 22.19 on this machine)" : "";
const whenPossible = test.skipIf(old === undefined);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "graphdeploy-old-node-"));
  await mkdir(join(folder, "node_modules"));
  await symlink(checkout, join(folder, "node_modules", "graphdeploy"), "dir");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function runWithOldNode(...args: string[]) {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(old?.path ?? "", args, { cwd: folder, env, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test("the minimum version in the message is the one in the manifest", async () => {
  const { engines } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  expect(nodeVersionProblem("v20.20.2")).toBe("graphdeploy needs Node.js 22.19 or newer; this is v20.20.2.");
  expect(engines.node).toBe(">=22.19");
});

test.each([
  ["v22.18.0", false],
  ["v22.19.0", true],
  ["v23.0.0", true],
  ["v24.21.0", true],
  ["v25.0.0-nightly", true],
  ["v8.17.0", false],
])("Node.js %s is supported: %s", (version, isSupported) => {
  expect(nodeVersionProblem(version) === undefined).toBe(isSupported);
});

const entryPoints = ["graphdeploy", "graphdeploy/core", "graphdeploy/mock-server", "graphdeploy/provider/runtime"];

for (const entryPoint of entryPoints) {
  for (const [kind, program] of [
    ["import", ["--input-type=module", "-e", `import * as all from "${entryPoint}"; console.log(all);`]],
    ["require", ["-e", `console.log(require("${entryPoint}"));`]],
  ] as const) {
    whenPossible(`an old Node.js reports which version ${entryPoint} needs, by ${kind}${suffix}`, () => {
      const { status, output } = runWithOldNode(...program);
      expect(status, output).toBe(1);
      expect(output).toContain(`Error: graphdeploy needs Node.js 22.19 or newer; this is ${old?.version}.`);
      expect(output).not.toMatch(/^\s+at /m);
    });
  }
}

whenPossible(`an old Node.js reports which version the command needs, and nothing else${suffix}`, () => {
  for (const args of [[], ["--help"], ["mock", "--port", "0"], ["dev"]]) {
    const { status, output } = runWithOldNode(join(checkout, "build", "cli.js"), ...args);
    expect(status).toBe(1);
    expect(output).toBe(`graphdeploy needs Node.js 22.19 or newer; this is ${old?.version}.\n`);
  }
});
