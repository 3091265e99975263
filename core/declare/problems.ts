import type { z } from "zod";

/** One mistake in a declaration. `path` leads to the field, for example `["sourceConfig", "buildOnPush"]`. */
export interface Problem {
  path: readonly (string | number)[];
  message: string;
}

/** A schema's complaint in the words of this package. One about several unknown fields makes several problems. */
export function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: "is not a field of a deployment. Check its spelling.",
    }));
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, message: missing ? "is required." : asSentenceEnd(issue.message) }];
}

/** The problem of a null in a declaration: elsewhere it stands for "not declared", or for "clear it", so it is neither here. */
export function nullProblem(path: Problem["path"]): Problem {
  return { path, message: "is null. Leave it out, or give it a value." };
}

/** A message that reads on after the field's name. */
export function asSentenceEnd(message: string): string {
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

type Path = readonly (string | number)[];

/** A value without what it doesn't tell, and where that stood. */
export interface KnownValue {
  value: unknown;
  /** Of values that aren't known yet. A list with one in it is unknown as a whole. */
  unknownPaths: Path[];
  /** Of values that are null: neither declared nor left out. */
  nullPaths: Path[];
}

/** A copy of `value` without unknown values and nulls. */
export function knownValue(value: unknown, isUnknown: (value: unknown) => boolean, path: Path = []): KnownValue {
  if (isUnknown(value)) return { value: undefined, unknownPaths: [path], nullPaths: [] };
  if (value === null) return { value: undefined, unknownPaths: [], nullPaths: [path] };
  if (typeof value !== "object") return { value, unknownPaths: [], nullPaths: [] };
  const fields = Object.entries(value).map(([name, field]) => {
    const part = Array.isArray(value) ? Number(name) : name;
    return [part, knownValue(field, isUnknown, [...path, part])] as const;
  });
  const nullPaths = fields.flatMap(([, field]) => field.nullPaths);
  const unknownPaths = fields.flatMap(([, field]) => field.unknownPaths);
  if (Array.isArray(value)) {
    return unknownPaths.length > 0
      ? { value: undefined, unknownPaths: [path], nullPaths }
      : { value, unknownPaths, nullPaths };
  }
  const known = fields.filter(([, field]) => field.value !== undefined).map(([name, field]) => [name, field.value]);
  return { value: Object.fromEntries(known), unknownPaths, nullPaths };
}

/** Whether one path leads to the other, or into it. */
export function isWithin(outer: Path, inner: Path): boolean {
  return outer.slice(0, inner.length).every((part, index) => String(part) === String(inner[index]));
}
