import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { declarativeFileJsonSchema } from "../core/declare/file/schema.ts";
import { checkout, runCommand } from "./run-command.ts";

const sources = [
  "{core,provider,mock-server,cli}/**/*.ts",
  "tsdown.config.ts",
  "scripts/third-party-licenses.ts",
  "package.json",
  "package-lock.json",
];
const stampFile = join(checkout, ".cache", "build.sha256");

async function digestOfSources(): Promise<string> {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: checkout })).sort();
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(await readFile(join(checkout, file)));
  return hash.digest("hex");
}

/**
 * Builds the package into build/, with the JSON Schema of the declarative file.
 *
 * @throws Error when the bundler fails; its own message is on stderr
 */
export async function buildPackage(): Promise<void> {
  const digest = await digestOfSources();
  const status = await runCommand("node_modules/.bin/tsdown", ["--logLevel", "warn"]);
  if (status !== 0) throw new Error(`the build failed (tsdown ended with ${status})`);
  const schema = JSON.stringify(declarativeFileJsonSchema());
  await writeFile(join(checkout, "build", "graphdeploy.schema.json"), `${schema}\n`);
  await mkdir(dirname(stampFile), { recursive: true });
  await writeFile(stampFile, digest);
}

/** Builds the package unless build/ is up to date with the sources. */
export async function buildPackageIfStale(): Promise<void> {
  const stamp = existsSync(stampFile) ? await readFile(stampFile, "utf8") : "";
  if (existsSync(join(checkout, "build", "core.js")) && stamp === (await digestOfSources())) return;
  await buildPackage();
}
