// The entry point of every npm script: installs missing dependencies, then runs the script with the Node.js that this
// repository pins. It runs first on a fresh machine, so it uses only built-ins of Node.js 20.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** What each npm script runs under the pinned Node.js. @type {Record<string, string[]>} */
const commands = {
  build: ["scripts/build.ts"],
  "build-action": ["scripts/build-action.ts"],
  check: ["scripts/check.ts"],
  demo: ["scripts/demo.ts"],
  dev: ["mock-server/dev.ts"],
  mock: ["mock-server/main.ts"],
  pictures: ["scripts/pictures.ts"],
  reference: ["scripts/reference.ts"],
  "release-check": ["scripts/release-check.ts"],
  "test-long": ["scripts/test-long.ts"],
  "test-summary": ["scripts/test-summary.ts"],
  test: ["scripts/test.ts"],
};

/**
 * @param {string} file @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, link?:
 * boolean }>}
 */
function lockedPackages(file) {
  return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
}

/** Whether node_modules matches package-lock.json, according to the lockfile that npm writes there. */
function isInstalled() {
  if (!existsSync(pinnedNode) || !existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const installed = lockedPackages("node_modules/.package-lock.json");
  return Object.entries(lockedPackages("package-lock.json")).every(([path, wanted]) => {
    if (path === "") return true;
    const found = installed[path];
    // An optional package of another platform is locked but never installed.
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function install() {
  process.stderr.write("Installing the dependencies with npm ci …\n");
  const result = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (result.status !== 0 || !existsSync(pinnedNode)) {
    process.stderr.write("npm ci failed: see its message above, and try again once the npm registry can be reached.\n");
    process.exit(1);
  }
}

const [command = "", ...args] = process.argv.slice(2);
const target = commands[command];
if (target === undefined) {
  process.stderr.write(`Unknown command "${command}". Known: ${Object.keys(commands).join(", ")}.\n`);
  process.exit(2);
}
if (!isInstalled()) install();

const [script = "", ...leading] = target;
if (!existsSync(join(root, script))) {
  process.stderr.write(`This checkout has no ${script}, which "npm run ${command}" starts.\n`);
  process.exit(2);
}
const folders = [dirname(pinnedNode), join(root, "node_modules", ".bin"), process.env.PATH ?? ""];
const child = spawn(pinnedNode, [join(root, script), ...leading, ...args], {
  stdio: "inherit",
  env: { ...process.env, PATH: folders.join(delimiter) },
});
// A supervisor signals only this process, so forward the signal, and exit after the child. A terminal's Ctrl-C reaches
// the child by itself, and a second signal might cut its shutdown short.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.once("error", (error) => {
  process.stderr.write(`${pinnedNode} can't be started: ${error.message}\n`);
  process.exit(1);
});
child.once("close", (status, signal) => {
  if (signal === null) process.exit(status ?? 1);
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
