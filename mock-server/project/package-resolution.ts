import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { ResolveFnOutput, ResolveHookContext } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** How Node.js, or the hook after this one, resolves what is imported. */
export type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

interface Folder {
  /** Written as Node.js writes it, with a slash at the end. */
  url: string;
  /** The files in it, and no links, by name; none where a part of its path is a link. */
  files: ReadonlySet<string>;
  /** What a `.js` file in it is; `null` where Node.js looks into the file to tell. */
  format: "module" | "commonjs" | null;
  /** What its modules have found in their own package by the path to it. */
  found: Map<string, ResolveFnOutput>;
  /** What its modules have found by name: shared by all folders in which a name stands for the same. */
  foundByName: Map<string, ResolveFnOutput>;
}

const plainPath = /^(?:\.{1,2}\/)+(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.([cm]?)js$/;

/**
 * Makes a hook that resolves what the modules of packages import, as Node.js does. Node.js reads a package.json anew for each module that it resolves
 * below it, and those of large packages are large; so files of a package that stand where their importer says are found without it, and what
 * Node.js finds in other packages is remembered. All else is left to Node.js: `require`, what has attributes, what isn't found.
 *
 * What is remembered is right until packages are removed: a resolver is for the life of a thread.
 */
export function packageResolver(): (specifier: string, context: ResolveHookContext, next: Resolve) => ResolveFnOutput {
  const folders = new FolderReader();
  /** By the URL of the importer, which is the same string each time, and so is found faster than its folder's would be. */
  const importers = new Map<string, Folder>();

  return (specifier, context, next) => {
    const { parentURL, conditions, importAttributes } = context;
    if (parentURL === undefined || !conditions.includes("import")) return next(specifier, context);
    for (const _ in importAttributes) return next(specifier, context);
    let folder = importers.get(parentURL);
    if (folder === undefined) {
      if (/[?#]/.test(parentURL)) return next(specifier, context);
      folder = folders.at(parentURL.slice(0, parentURL.lastIndexOf("/") + 1));
      importers.set(parentURL, folder);
    }
    const known = folder.found.get(specifier);
    if (known !== undefined) return known;
    const [, kind] = plainPath.exec(specifier) ?? [];
    if (kind !== undefined) {
      const file = fileAt(new URL(specifier, folder.url).href, kind, folders);
      if (file === undefined) return next(specifier, context);
      folder.found.set(specifier, file);
      return file;
    }
    if (/^[./]|^[a-z]+:/i.test(specifier)) return next(specifier, context);
    const key = `${conditions} ${specifier}`;
    let named = folder.foundByName.get(key);
    if (named === undefined) {
      named = { ...next(specifier, context), shortCircuit: true };
      folder.foundByName.set(key, named);
    }
    return named;
  };
}

function fileAt(url: string, kind: string, folders: FolderReader): ResolveFnOutput | undefined {
  const end = url.lastIndexOf("/") + 1;
  const folder = folders.at(url.slice(0, end));
  const format = kind === "m" ? "module" : kind === "c" ? "commonjs" : folder.format;
  return format !== null && folder.files.has(url.slice(end)) ? { url, format, shortCircuit: true } : undefined;
}

/** Reads each folder once. A file that is written later isn't known to be there, and so is left to Node.js. */
class FolderReader {
  readonly #folders = new Map<string, Folder>();
  readonly #types = new Map<string, Folder["format"]>();
  readonly #foundByName = new Map<string, Folder["foundByName"]>();

  at(url: string): Folder {
    let folder = this.#folders.get(url);
    if (folder === undefined) {
      folder = this.#read(url);
      this.#folders.set(url, folder);
    }
    return folder;
  }

  #read(url: string): Folder {
    const path = fileURLToPath(url).replace(/[\\/]$/, "");
    let files: string[] = [];
    try {
      if (`${pathToFileURL(path).href}/` === url && realpathSync(path) === path) {
        files = readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
      }
    } catch {
      // A folder that isn't there: Node.js says so.
    }
    const anchor = anchorOf(path);
    const foundByName = this.#foundByName.get(anchor) ?? new Map();
    this.#foundByName.set(anchor, foundByName);
    return { url, files: new Set(files), format: typeOfPackage(path, this.#types), found: new Map(), foundByName };
  }
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

/** The nearest folder around a folder, or itself, in which what packages are found can differ. */
function anchorOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const decides = ["package.json", "node_modules"].some((name) =>
      statSync(join(at, name), { throwIfNoEntry: false }),
    );
    if (decides || dirname(at) === at) return at;
  }
}
