import { duplicateKeys } from "./duplicate-keys.ts";
import { bareNameIn, readLines } from "./environment-lines.ts";
import type { InputProblem } from "./input-problem.ts";

/** The map in a multi-line input, and the problems in it. */
export interface EnvironmentInput {
  entries: Readonly<Record<string, string>> | undefined;
  problems: readonly InputProblem[];
  /** Names without a value that the environment of the step doesn't have either. */
  missing: readonly string[];
}

/**
 * Reads an environment: a JSON object, or lines as in `.env` files. A line with only a name takes the value of the
 * variable of that name. A quoted value loses its quotes; all other values, and those in JSON, stay unchanged.
 * `entries` is `undefined` for an empty input.
 * @param env the environment of the step
 */
export function readEnvironment(
  input: string,
  text: string,
  env: Readonly<Record<string, string | undefined>> = {},
): EnvironmentInput {
  const trimmed = text.trim();
  if (trimmed === "") return { entries: undefined, problems: [], missing: [] };
  if (trimmed.startsWith("{")) return { ...readJson(input, trimmed), missing: [] };
  const missing: string[] = [];
  const lines = readLines(input, text, (name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) missing.push(name);
    return value;
  });
  return { ...lines, missing };
}

/** Reads a list of names, separated by commas or white space. */
export function readNames(input: string, text: string): { names: readonly string[]; problems: InputProblem[] } {
  const names = [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
  const wrong = names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong.length === 0) return { names, problems: [] };
  // The message doesn't quote what isn't a name: it may be a secret in the wrong input.
  return { names: [], problems: [{ input, message: "is not a list of names of environment variables: NAME,OTHER." }] };
}

/** Everything that may be a secret value in a malformed input. */
export function possibleValues(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && bareNameIn(line) === undefined);
  return lines.flatMap((line) => {
    const value = line.slice(line.indexOf("=") + 1).trim();
    return [line.trim(), value, value.replace(/^["']|["']$/g, "")];
  });
}

function readJson(input: string, text: string): Omit<EnvironmentInput, "missing"> {
  let json: unknown;
  try {
    json = JSON.parse(text, asWritten);
  } catch {
    return { entries: undefined, problems: [{ input, message: "starts like JSON but isn't valid JSON." }] };
  }
  const entries: Record<string, string> = Object.create(null);
  const problems = duplicateNameProblems(input, text);
  for (const [name, value] of Object.entries(json as object)) {
    if (typeof value === "string") entries[name] = value;
    else if (typeof value === "boolean") entries[name] = String(value);
    else problems.push({ input, message: `has something other than a string as the value of ${name}.` });
  }
  return { entries: { ...entries }, problems };
}

/** A problem for each name that a JSON object sets more than once. */
export function duplicateNameProblems(input: string, json: string): InputProblem[] {
  return duplicateKeys(json).map((name) => ({ input, message: `sets ${name} twice.` }));
}

/** Revives a JSON number as its source text: parsed, `3.10` would become 3.1, and a long id would lose digits. */
function asWritten(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === "number" ? (source ?? String(value)) : value;
}
