import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { nearestName } from "../../names.ts";
import { type FileNode, type Finding, findingAt, mapTexts, type ScalarNode } from "./file-node.ts";

/** Where the values of `${…}` come from. */
export interface SubstitutionSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The text of a file, by its path from the declarative file's folder.
   * @throws Error with a message that reads on after the path
   */
  readFile(path: string): string;
}

const reference = /\$\$|\$\{(?<inside>[^{}]*)(?<end>[{}]?)/g;
const variable = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[\s\S]*))?$/;

const branchPrefix = "refs/heads/";
const escapeHint = "Write $$ for a dollar sign.";

/**
 * Fills in `${VAR}`, `${VAR:-default}` and `${file:path}` in every text, and writes `$$` as a dollar sign. Nothing is run, and what is filled in
 * isn't searched again. An empty variable counts as missing where there is a default.
 */
export class Substitution {
  readonly findings: Finding[] = [];
  /** What variables and files gave: to be redacted wherever it is shown. */
  readonly filledIn = new Set<string>();
  readonly #sources: SubstitutionSources;

  constructor(sources: SubstitutionSources) {
    this.#sources = sources;
  }

  fillIn(node: FileNode): FileNode {
    return mapTexts(node, (text, scalar) => {
      const filled = text.replace(reference, (whole, inside: string | undefined, end: string | undefined) => {
        if (inside === undefined) return "$";
        if (end === "}") return this.#valueOf(inside, scalar) ?? whole;
        return this.#refuse(scalar, `has an unclosed \${, or braces inside of it. ${escapeHint}`, whole);
      });
      // Of a branch by its full ref, the core's message quotes the rest.
      if (filled !== text && filled.startsWith(branchPrefix)) this.filledIn.add(filled.slice(branchPrefix.length));
      return filled;
    });
  }

  #valueOf(inside: string, scalar: ScalarNode): string | undefined {
    if (inside.startsWith("file:")) return this.#fileText(inside.slice("file:".length).trim(), scalar);
    const { name, fallback } = variable.exec(inside)?.groups ?? {};
    if (name === undefined) {
      return this.#refuse(
        scalar,
        `has a \${…} that is neither \${NAME}, \${NAME:-default} nor \${file:path}. ${escapeHint}`,
      );
    }
    const value = Object.hasOwn(this.#sources.env, name) ? this.#sources.env[name] : undefined;
    if (value === undefined || (value === "" && fallback !== undefined)) {
      if (fallback !== undefined) return fallback;
      const nearest = nearestName(name, Object.keys(this.#sources.env));
      const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
      return this.#refuse(scalar, `needs the environment variable ${name}, which isn't set.${hint}`);
    }
    this.filledIn.add(value);
    return value;
  }

  #fileText(path: string, scalar: ScalarNode): string | undefined {
    try {
      const text = this.#sources.readFile(path);
      this.filledIn.add(text);
      return text;
    } catch (error) {
      return this.#refuse(scalar, `needs the file ${path}, which ${(error as Error).message}`);
    }
  }

  #refuse<Value>(scalar: ScalarNode, message: string, value?: Value): Value {
    this.findings.push(findingAt(scalar, message));
    return value as Value;
  }
}

/** Bytes of a file that is filled in. Environment variables can hardly be longer. */
const maxFilledBytes = 64 * 1024;

/**
 * Reads texts from `folder` and the folders in it, by relative paths. Links are followed first: one that leads elsewhere is refused. The last
 * line break is left out, as it is in a shell's `$(cat …)`.
 */
export function createConfinedReader(folder: string): (path: string) => string {
  return (path) => {
    const file = resolveIn(folder, path);
    const { size } = statSync(file);
    if (size > maxFilledBytes) throw new Error(`is larger than ${maxFilledBytes / 1024} KiB.`);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, "");
    } catch (cause) {
      const isText = !(cause instanceof TypeError);
      throw new Error(isText ? "can't be read." : "isn't UTF-8 text.", { cause });
    }
  };
}

function resolveIn(folder: string, path: string): string {
  if (path === "" || isAbsolute(path)) throw new Error("isn't relative to this file's folder.");
  const root = realpathSync(folder);
  const isOutside = (file: string) => {
    const way = relative(root, file);
    return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  };
  const outside = () => new Error("is outside of this file's folder.");
  // Before anything is looked up: whether there is something outside is nobody's business.
  if (isOutside(resolve(root, path))) throw outside();
  let file: string;
  try {
    file = realpathSync(resolve(root, path));
  } catch (cause) {
    throw new Error("doesn't exist.", { cause });
  }
  if (isOutside(file)) throw outside();
  if (!statSync(file).isFile()) throw new Error("isn't a file.");
  return file;
}
