// Finds a Chromium for the browser tests and the screenshots, or installs Debian's.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The executable of a browser, or why there is none. */
export type FoundChromium = { path: string } | { reason: string };

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
/** Where macOS keeps it, which isn't on PATH. */
const applications = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
const heartbeatMilliseconds = 15_000;
/** Timeout in milliseconds: a stuck package mirror must not delay tests that need no browser. */
const installMilliseconds = 5 * 60_000;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds a Chromium (or Chrome) on this machine: `CHROME_PATH`, else the first on PATH. Installs nothing. Finds none
 * with `GRAPHDEPLOY_CHROMIUM=skip`.
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): FoundChromium {
  if (environment.GRAPHDEPLOY_CHROMIUM === "skip") return { reason: "GRAPHDEPLOY_CHROMIUM=skip is set" };
  const chosen = environment.CHROME_PATH;
  if (chosen) return isExecutable(chosen) ? { path: chosen } : { reason: `CHROME_PATH names no program: ${chosen}` };
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...applications];
  const path = candidates.find(isExecutable);
  return path === undefined ? { reason: "no Chromium on PATH or in CHROME_PATH" } : { path };
}

function isDebian(): boolean {
  return existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}

function run(command: string, args: string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      signal,
    });
    let tail = "";
    child.stderr.on("data", (piece: Buffer) => {
      tail = `${tail}${piece}`.slice(-500);
    });
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`${command} ${args[0]} ended with ${status}: ${tail.trim().split("\n").at(-1) ?? ""}`));
    });
  });
}

/**
 * Finds a Chromium on this machine, else installs Debian's package if the machine runs Debian and the process is root.
 * Ubuntu's package of that name contains no browser, so it isn't tried.
 *
 * @param log receives the progress lines
 * @returns the executable, or why there is none; never throws
 */
export async function getChromium(log: (line: string) => void = () => {}): Promise<FoundChromium> {
  const found = findChromium();
  if ("path" in found || process.env.GRAPHDEPLOY_CHROMIUM === "skip" || process.env.CHROME_PATH) return found;
  if (!isDebian() || process.getuid?.() !== 0) return found;
  log("installing Debian's chromium, about a minute the first time");
  const started = Date.now();
  const heartbeat = setInterval(
    () => log(`still working, ${Math.round((Date.now() - started) / 1000)} s`),
    heartbeatMilliseconds,
  );
  const signal = AbortSignal.timeout(installMilliseconds);
  try {
    await run("apt-get", ["update", "-q"], signal);
    await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], signal);
    return findChromium();
  } catch (error) {
    return { reason: `${found.reason}, and it can't be installed: ${(error as Error).message}` };
  } finally {
    clearInterval(heartbeat);
  }
}
