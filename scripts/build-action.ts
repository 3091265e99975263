// Bundles the GitHub Action into dist/, which is committed because a runner uses a repository as it is.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

/** The folder that `action.yml` names. */
export const actionBundle: string = join(checkout, "dist");

/**
 * Makes the bundle of the action.
 *
 * @param folder where it goes; what is in it is replaced
 * @throws Error when the compiler or the bundler fails; their own messages are on stderr
 */
export async function buildAction(folder: string = actionBundle): Promise<void> {
  await bundle(join(checkout, "action", "index.ts"), folder);
  await writeFile(join(folder, "post.js"), 'import "./index.js";\n');
}

/**
 * Compiles a TypeScript file of this checkout with what it imports, and bundles the result with its dependencies and their licences.
 *
 * @param file the entry
 * @param folder where the bundle goes; what is in it is replaced
 * @throws Error when the compiler or the bundler fails; their own messages are on stderr
 */
export async function bundle(file: string, folder: string): Promise<void> {
  // Types are a check of their own. The bundler resolves packages from where the compiled files are, so they stay inside the checkout; it
  // numbers modules by their paths, so the folder has the same name every time.
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
 * Puts a copy of a package where the bundler finds it first, with the word in its `package.json` that loading its modules does nothing but
 * define what they export. The bundler then leaves out what nobody uses: of `@actions/core` its client for identity tokens, through which it
 * would load all of HTTP before the inputs are read.
 */
async function declareWithoutSideEffects(name: string, folder: string): Promise<void> {
  const copy = join(folder, "node_modules", name);
  await cp(join(checkout, "node_modules", name), copy, { recursive: true });
  const manifest = join(copy, "package.json");
  const fields = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify({ ...fields, sideEffects: false }));
}

/** The names of the files in which dist/ differs from a bundle made just now. */
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
