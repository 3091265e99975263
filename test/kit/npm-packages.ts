import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./python/run.ts";

/** Programs of npm packages, or the reason why they aren't there. */
export type NpmPackages = { program(name: string): string; missing?: undefined } | { missing: string };

const cache = fileURLToPath(new URL("../../.cache/npm/", import.meta.url));

/**
 * Installs packages (`name@version`) that are too large for the dependencies of this package, and keeps them in the
 * checkout's cache. If they can't be installed, it returns the reason to skip the test with.
 */
export async function npmPackages(...packages: readonly string[]): Promise<NpmPackages> {
  const folder = join(cache, packages.join("+").replaceAll("/", "-"));
  const program = (name: string) => join(folder, "node_modules", ".bin", name);
  if (existsSync(folder)) return { program };
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, "package.json"), "{}");
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  // Settings of npm, such as the registry, may be in the environment.
  const env = process.env as Record<string, string>;
  const { code, output } = await run("npm", ["install", ...flags, ...packages], { cwd: draft, env });
  if (code === 0) {
    await rename(draft, folder);
    return { program };
  }
  await rm(draft, { recursive: true, force: true });
  return { missing: `npm can't install ${packages.join(", ")}: ${output.trim().split("\n")[0]}` };
}
