// Bundles the GitHub Action into dist/, which is committed because a runner executes a repository without building it.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

/** The folder that `action.yml` names. */
export const actionBundle: string = join(checkout, "dist");

/**
 * Bundles the Action.
 *
 * @param folder the output folder, whose contents are replaced
 * @throws Error when the compiler or the bundler fails; their own messages are on stderr
 */
export async function buildAction(folder: string = actionBundle): Promise<void> {
  await bundle(join(checkout, "action", "index.ts"), folder);
  await writeFile(join(folder, "post.js"), 'import "./index.js";\n');
}

/**
 * Compiles a TypeScript file of this checkout with its imports, and bundles the result with its dependencies and their
 * licences.
 *
 * @param file the entry
 * @param folder the output folder, whose contents are replaced
 * @throws Error when the compiler or the bundler fails; their own messages are on stderr
 */
export async function bundle(file: string, folder: string): Promise<void> {
  // Types are checked separately. The bundler resolves packages from the folder of the compiled files, so that is
  // inside the checkout; it numbers modules by path, so its name is always the same.
  const compiled = join(checkout, ".cache", "bundle", relative(checkout, file).replaceAll(/\W/g, "-"));
  await rm(compiled, { recursive: true, force: true });
  await mkdir(compiled, { recursive: true });
  try {
    const project = join(compiled, "tsconfig.json");
    await writeFile(project, JSON.stringify({ extends: join(checkout, "tsconfig.json"), files: [file], include: [] }));
    const out = join(compiled, "js");
    await succeed("tsc", ["-p", project, "--noCheck", "--noEmit", "false", "--outDir", out, "--rootDir", checkout]);
    await declareWithoutSideEffects("@actions/core", compiled);
    const entry = join(out, relative(checkout, file).replace(/\.ts$/, ".js"));
    const made = join(compiled, "bundle");
    const options = ["--minify", "--license", "licenses.txt", "--target", "es2022", "--quiet"];
    await succeed("ncc", ["build", entry, "--out", made, ...options]);
    await rm(folder, { recursive: true, force: true });
    await cp(made, folder, { recursive: true });
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}

/**
 * Puts a copy of a package where the bundler finds it first, with `sideEffects: false` in its `package.json`. The
 * bundler then leaves out unused modules: of `@actions/core` its client for identity tokens, which would load all of
 * HTTP before the inputs are read.
 */
async function declareWithoutSideEffects(name: string, folder: string): Promise<void> {
  const copy = join(folder, "node_modules", name);
  await cp(join(checkout, "node_modules", name), copy, { recursive: true });
  const manifest = join(copy, "package.json");
  const fields = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify({ ...fields, sideEffects: false }));
}

/** The names of the files in which dist/ differs from a fresh bundle. */
export async function staleActionFiles(): Promise<string[]> {
  const fresh = await mkdtemp(join(tmpdir(), "graphdeploy-action-"));
  try {
    await buildAction(fresh);
    const names = new Set([...(await namesIn(fresh)), ...(await namesIn(actionBundle))]);
    const stale: string[] = [];
    for (const name of [...names].sort()) {
      const [made, kept] = await Promise.all([fresh, actionBundle].map((folder) => contentOf(join(folder, name))));
      if (made === undefined || kept === undefined || !made.equals(kept)) stale.push(name);
    }
    return stale;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch(() => undefined);
}

async function succeed(command: string, args: readonly string[]): Promise<void> {
  const status = await runCommand(`node_modules/.bin/${command}`, args);
  if (status !== 0) throw new Error(`bundling the action failed (${command} ended with ${status})`);
}

if (import.meta.main) await buildAction();
