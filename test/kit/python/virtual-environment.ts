import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A Python environment with packages, or the reason why there is none. */
export type VirtualEnvironment = { command(name: string): string; missing?: undefined } | { missing: string };

const cache = fileURLToPath(new URL("../../../.cache/python/", import.meta.url));
const binaries = process.platform === "win32" ? "Scripts" : "bin";

/**
 * Creates an environment with `packages` (in pip's syntax, with exact versions) once, and keeps it in the checkout's
 * cache. Without Python, or if the packages can't be installed, it returns the reason to skip the test with.
 */
export async function virtualEnvironment(...packages: readonly string[]): Promise<VirtualEnvironment> {
  const folder = join(cache, packages.join("+").replaceAll("=", "-"));
  const command = (name: string) => join(folder, binaries, name);
  const stamp = join(folder, "complete");
  if (existsSync(stamp)) return { command };
  const draft = `${folder}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    await succeed("python3", ["-m", "venv", folder], "python3 isn't there");
    await succeed(
      command("python"),
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages],
      `pip can't install ${packages.join(", ")}`,
    );
    await writeFile(draft, "");
    await rename(draft, stamp);
    return { command };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return { missing: (error as Error).message };
  }
}

function succeed(program: string, args: readonly string[], otherwise: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "ignore" });
    child.once("error", () => reject(new Error(otherwise)));
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(otherwise))));
  });
}
