// `npm run check`: everything but the tests. It runs all checks; the exit status says whether all passed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { staleActionFiles } from "./build-action.ts";
import { buildPackage } from "./build-package.ts";
import { lintWorkflows } from "./lint-workflows.ts";
import { packPackage } from "./pack-package.ts";
import { runCommand } from "./run-command.ts";

interface Check {
  readonly name: string;
  /** The exit status. */
  readonly run: () => Promise<number | "skipped">;
}

const command = (name: string, executable: string, ...args: string[]): Check => ({
  name,
  run: () => runCommand(`node_modules/.bin/${executable}`, args),
});

const folder = await mkdtemp(join(tmpdir(), "graphdeploy-check-"));
let tarball = "";

const checks: Check[] = [
  command("format and lint", "biome", "check", "--error-on-warnings"),
  command("types", "tsc", "-p", "."),
  command("types of the page", "tsc", "-p", "examples/chat-page"),
  command("types of the agents", "tsc", "-p", "examples/agents-calling-agents"),
  command("unused code", "knip"),
  command("imports", "depcruise", "core", "provider", "action", "cli", "mock-server"),
  { name: "reference", run: () => runCommand(process.execPath, ["scripts/reference.ts", "--check"]) },
  {
    name: "build",
    run: async () => {
      await buildPackage();
      tarball = await packPackage(folder);
      return 0;
    },
  },
  { name: "package manifest", run: () => runCommand("node_modules/.bin/publint", ["--strict", tarball]) },
  { name: "types of the package", run: () => runCommand("node_modules/.bin/attw", [tarball]) },
  { name: "package in use", run: () => runCommand(process.execPath, ["scripts/package-smoke.ts", tarball]) },
  {
    name: "bundled action",
    run: async () => {
      const stale = await staleActionFiles();
      if (stale.length > 0) process.stderr.write(`Outdated: ${stale.join(", ")} in dist/. Run npm run build:action.\n`);
      return stale.length;
    },
  },
  { name: "workflows", run: lintWorkflows },
];

const failed: string[] = [];
const skipped: string[] = [];
for (const { name, run } of checks) {
  process.stdout.write(`\n== ${name}\n`);
  const status = await run().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  });
  if (status === "skipped") skipped.push(name);
  else if (status !== 0) failed.push(name);
}
await rm(folder, { recursive: true, force: true });
if (skipped.length > 0) process.stdout.write(`\nSkipped checks, for the reasons above: ${skipped.join(", ")}.\n`);
const all = skipped.length === 0 ? "All checks" : "All other checks";
process.stdout.write(failed.length === 0 ? `\n${all} passed.\n` : `\nFailed checks: ${failed.join(", ")}.\n`);
if (failed.length > 0) process.exitCode = 1;
