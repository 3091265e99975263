// Lints the example workflows with actionlint: the one on PATH, else one built from the Go module proxy into the user's
// cache folder.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

const version = "1.7.12";

const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "graphdeploy", "actionlint", version);

/** The linter, or why there is none. */
async function findActionlint(): Promise<{ path: string } | { reason: string }> {
  if (spawnSync("actionlint", ["-version"]).status === 0) return { path: "actionlint" };
  const path = join(cacheFolder, "actionlint");
  if (existsSync(path)) return { path };
  if (spawnSync("go", ["version"]).status !== 0) return { reason: "neither actionlint nor Go is on PATH" };
  process.stdout.write(`Building actionlint ${version} from the Go module proxy, about a minute the first time.\n`);
  await mkdir(cacheFolder, { recursive: true });
  const environment = { ...process.env, GOBIN: cacheFolder, CGO_ENABLED: "0" };
  const status = await runCommand("go", ["install", `github.com/rhysd/actionlint/cmd/actionlint@v${version}`], {
    environment,
  });
  return status === 0 && existsSync(path)
    ? { path }
    : { reason: `actionlint couldn't be built (go ended with ${status})` };
}

/**
 * Lints examples/workflows and this repository's own workflows.
 *
 * @returns the exit status; "skipped", with a message that says why, where there is no linter
 */
export async function lintWorkflows(): Promise<number | "skipped"> {
  const files = globSync(["examples/workflows/*.yml", ".github/workflows/*.yml"], { cwd: checkout });
  const linter = await findActionlint();
  if ("path" in linter) return runCommand(linter.path, ["-no-color", ...files]);
  process.stdout.write(`Skipped: ${linter.reason}.\n`);
  return "skipped";
}

if (import.meta.main) {
  const status = await lintWorkflows();
  process.exitCode = status === "skipped" ? 0 : status;
}
