import { nearestName } from "../../nearest-name.ts";
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
