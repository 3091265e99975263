import { existsSync, statSync } from "node:fs";
import { type ResolveFnOutput, type ResolveHookContext, registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createPathsMatcher, getTsconfig } from "get-tsconfig";
import { isTypeScript, runnableSource } from "./typescript.ts";

const extensions = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];

/** Source extensions by the extension of the compiler's output, under which TypeScript projects import. */
const sources: Record<string, readonly string[]> = {
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

let isRegistered = false;
const loaded = new Set<string>();

/** Absolute paths of the project's files that this worker has loaded so far. */
export const loadedFiles: ReadonlySet<string> = loaded;

/** Prefix of specifiers that are resolved from another module, which follows. */
const inTheNameOf = "graphdeploy-import:";

/**
 * Makes this worker load the TypeScript files of projects, and resolve their imports as TypeScript does: without
 * extensions, with the extension of the output, by folder, and by the `paths` of the nearest tsconfig.json or that of
 * the importer. Imports of packages under node_modules are left to Node.js.
 */
export function registerModuleHooks(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(inTheNameOf)) {
        const [parentURL = "", name = ""] = specifier.slice(inTheNameOf.length).split(",", 2).map(decodeURIComponent);
        return next(name, { ...context, parentURL });
      }
      const importer = ownFile(context.parentURL);
      if (importer === undefined) return next(specifier, context);
      const mapped = mappedByPaths(specifier, importer);
      const resolved =
        mapped === undefined
          ? resolveLeniently(specifier, context, importer, next)
          : next(pathToFileURL(mapped).href, context);
      passPathsOn(importer, ownFile(resolved.url));
      return resolved;
    },
    load(url, context, next) {
      const path = ownFile(url);
      if (path === undefined) return next(url, context);
      loaded.add(path);
      if (!isTypeScript(path)) {
        return path.endsWith(".json")
          ? next(url, { ...context, importAttributes: { ...context.importAttributes, type: "json" } })
          : next(url, context);
      }
      return { ...runnableSource(path), shortCircuit: true };
    },
  });
}

/**
 * Imports what another module, given by its URL, gets for a specifier.
 * @throws what the import throws.
 */
export function importInTheNameOf<Module>(importer: string, specifier: string): Promise<Module> {
  registerModuleHooks();
  return import(inTheNameOf + [importer, specifier].map(encodeURIComponent).join(","));
}

const packageFolder = "/node_modules/";

/** The path of a project's module; `undefined` for modules of packages and Node.js. */
function ownFile(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith("file:") || url.includes(packageFolder)) return undefined;
  return fileURLToPath(url.replace(/[?#].*$/s, ""));
}

type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

function resolveLeniently(
  specifier: string,
  context: ResolveHookContext,
  importer: string,
  next: Resolve,
): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (error) {
    const path = pathOf(specifier, importer);
    const file = path === undefined ? undefined : fileFor(path);
    if (file === undefined) throw error;
    return next(pathToFileURL(file).href, context);
  }
}

function pathOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  if (/^\.{1,2}(\/|$)/.test(specifier)) return join(dirname(importer), specifier);
  return specifier.startsWith("/") ? specifier : undefined;
}

/** The source file for a path without an extension, with that of the output, or of a folder. */
function fileFor(path: string): string | undefined {
  const [extension = ""] = /\.[cm]?jsx?$/.exec(path) ?? [];
  const stem = path.slice(0, path.length - extension.length);
  const candidates = [
    path,
    ...(sources[extension] ?? []).map((source) => stem + source),
    ...extensions.map((added) => path + added),
    ...extensions.map((added) => join(path, `index${added}`)),
  ];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
}

type Matcher = (specifier: string) => string[];
const matchers = new Map<string, Matcher | null>();

/**
 * The `paths` that imported files inherit from their importers: libraries of a workspace often have no tsconfig.json of
 * their own.
 */
const inherited = new Map<string, Matcher>();

function passPathsOn(importer: string, imported: string | undefined): void {
  if (imported === undefined || inherited.has(imported)) return;
  const matcher = matcherOf(dirname(importer)) ?? inherited.get(importer);
  if (matcher) inherited.set(imported, matcher);
}

function mappedByPaths(specifier: string, importer: string): string | undefined {
  if (/^[./]|^[a-z]+:/.test(specifier)) return undefined;
  const candidates = [matcherOf(dirname(importer)), inherited.get(importer)].flatMap(
    (matcher) => matcher?.(specifier) ?? [],
  );
  for (const path of candidates) {
    const file = fileFor(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** A matcher for the `paths` of the nearest tsconfig.json; `null` where it has none. */
function matcherOf(folder: string): Matcher | null {
  let matcher = matchers.get(folder);
  if (matcher === undefined) {
    const tsconfig = getTsconfig(folder);
    matcher = (tsconfig && createPathsMatcher(tsconfig)) ?? null;
    matchers.set(folder, matcher);
  }
  return matcher;
}
