import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ResolveFnOutput, ResolveHookContext } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** How Node.js, or the hook after this one, resolves what is imported. */
export type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

interface Folder {
  path: string;
  /** Whether files can be told by joining their names to the URL: it is written as Node.js writes it, and no part of it is a link. */
  isPlain: boolean;
  /** What a `.js` file in it is; `null` where Node.js looks into the file to tell. */
  format: "module" | "commonjs" | null;
  /** The nearest folder around it, or itself, in which what packages are found can differ. */
  anchor: string;
}

const plainSibling = /^(?:\.{1,2}\/)+(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.([cm]?)js$/;

/**
 * Makes a hook that resolves what the modules of packages import, as Node.js does. Node.js reads a package.json anew for each module that it resolves
 * below it, and those of large packages are large; so files of a package that stand where their importer says are found without it, and what
 * Node.js finds in other packages is remembered. All else is left to Node.js: `require`, what has attributes, what isn't found.
 *
 * What is remembered is right until packages are installed or removed: a resolver is for the life of a thread.
 */
export function packageResolver(): (specifier: string, context: ResolveHookContext, next: Resolve) => ResolveFnOutput {
  const folders = new Map<string, Folder>();
  const types = new Map<string, Folder["format"]>();
  const found = new Map<string, ResolveFnOutput>();

  const folderAt = (url: string): Folder => {
    let folder = folders.get(url);
    if (folder === undefined) {
      folder = readFolder(url, types);
      folders.set(url, folder);
    }
    return folder;
  };

  const fileOfPackage = (specifier: string, kind: string, parentFolder: string): ResolveFnOutput | undefined => {
    const { href: url } = new URL(specifier, parentFolder);
    const end = url.lastIndexOf("/") + 1;
    const { path, isPlain, format: formatOfJs } = folderAt(url.slice(0, end));
    const format = kind === "m" ? "module" : kind === "c" ? "commonjs" : formatOfJs;
    if (!isPlain || format === null) return undefined;
    const isFile = lstatSync(join(path, url.slice(end)), { throwIfNoEntry: false })?.isFile() ?? false;
    return isFile ? { url, format, shortCircuit: true } : undefined;
  };

  return (specifier, context, next) => {
    const { parentURL = "?", conditions, importAttributes } = context;
    if (/[?#]/.test(parentURL) || !conditions.includes("import") || Object.keys(importAttributes).length > 0) {
      return next(specifier, context);
    }
    const parentFolder = parentURL.slice(0, parentURL.lastIndexOf("/") + 1);
    const [, kind] = plainSibling.exec(specifier) ?? [];
    if (kind === undefined && /^[./]|^[a-z]+:/i.test(specifier)) return next(specifier, context);
    const from = kind === undefined ? `${conditions}\n${folderAt(parentFolder).anchor}` : parentFolder;
    const key = `${from}\n${specifier}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const file = kind === undefined ? undefined : fileOfPackage(specifier, kind, parentFolder);
    if (file === undefined && kind !== undefined) return next(specifier, context);
    const resolved = file ?? { ...next(specifier, context), shortCircuit: true };
    found.set(key, resolved);
    return resolved;
  };
}

function readFolder(url: string, types: Map<string, Folder["format"]>): Folder {
  const path = fileURLToPath(url).replace(/[\\/]$/, "");
  let isPlain = false;
  try {
    isPlain = `${pathToFileURL(path).href}/` === url && realpathSync(path) === path;
  } catch {
    // A folder that isn't there: Node.js says so.
  }
  return { path, isPlain, format: isPlain ? typeOfPackage(path, types) : null, anchor: anchorOf(path) };
}

/** What the nearest package.json says that `.js` files are. */
function typeOfPackage(folder: string, types: Map<string, Folder["format"]>): Folder["format"] {
  let type = types.get(folder);
  if (type === undefined) {
    const isLast = basename(folder) === "node_modules" || dirname(folder) === folder;
    type = isLast ? null : typeIn(folder);
    if (type === undefined) type = typeOfPackage(dirname(folder), types);
    types.set(folder, type);
  }
  return type;
}

/** `undefined`: there is no package.json. `null`: it doesn't say, or can't be read, which is Node.js's to tell. */
function typeIn(folder: string): Folder["format"] | undefined {
  const file = join(folder, "package.json");
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  try {
    const { type } = JSON.parse(readFileSync(file, "utf8"));
    return type === "module" || type === "commonjs" ? type : null;
  } catch {
    return null;
  }
}

function anchorOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const decides = ["package.json", "node_modules"].some((name) =>
      statSync(join(at, name), { throwIfNoEntry: false }),
    );
    if (decides || dirname(at) === at) return at;
  }
}
