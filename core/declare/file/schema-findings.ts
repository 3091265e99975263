import { z } from "zod";
import { isSpeltAlike, nearestName } from "../../names.ts";
import { withoutWrappers } from "../near-misses.ts";
import { type FileNode, type Finding, findingAtKey, findingIn, type Path, partAt, plainValue } from "./file-node.ts";

/** The end of a sentence about an unknown name: the one that was probably meant, else all there are. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return ` Did you mean ${nearest}?`;
  return known.length === 0 ? "" : ` Expected one of: ${known.join(", ")}.`;
}

export interface SchemaFindings {
  findings: readonly Finding[];
  /** Paths, from the part that was checked on, of values that are wrong, or that a misspelt key probably stands for. */
  doubtful: readonly Path[];
}

/**
 * What `schema` finds wrong with a part of the file. `isPartial` leaves out what is missing below the top, since another layer may have it.
 */
export function checkSchema(root: FileNode, schema: z.ZodType, isPartial: boolean): SchemaFindings {
  const knownKeys = new Map<string, KnownKeys>();
  const result = schema.safeParse(plainValue(root), {
    reportInput: true,
    error(issue) {
      if (issue.code === "unrecognized_keys") knownKeys.set(JSON.stringify(issue.path ?? []), knownKeysOf(issue.inst));
      return messageOf(issue);
    },
  });
  if (result.success) return { findings: [], doubtful: [] };
  const findings: Finding[] = [];
  const doubtful: Path[] = [];
  const missing: Path[] = [];
  for (const issue of result.error.issues) {
    const path = issue.path as Path;
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys.get(JSON.stringify(path)) ?? { own: [], inner: [] };
      for (const key of issue.keys) {
        const { message, meant } = unknownKey(key, known);
        findings.push(findingAtKey(partAt(root, [...path, key]) ?? root, message));
        doubtful.push([...path, key]);
        if (meant !== undefined) doubtful.push([...path, ...meant]);
      }
    } else if (partAt(root, path) === undefined) missing.push(path);
    else {
      findings.push(findingIn(root, path, asSentence(issue.message)));
      doubtful.push(path);
    }
  }
  const misspelt = new Set(doubtful.map((path) => JSON.stringify(path)));
  for (const path of missing) {
    if (!misspelt.has(JSON.stringify(path)) && (!isPartial || path.length === 1))
      findings.push(findingIn(root, path, "is required."));
  }
  return { findings, doubtful };
}

interface KnownKeys {
  own: readonly string[];
  /** Paths of the keys one level below. */
  inner: readonly (readonly [string, string])[];
}

function knownKeysOf(schema: unknown): KnownKeys {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const inner = Object.entries(shape).flatMap(([name, field]) => {
    const part = withoutWrappers(field);
    return part instanceof z.ZodObject ? Object.keys(part.shape).map((key) => [name, key] as const) : [];
  });
  return { own: Object.keys(shape), inner };
}

function unknownKey(key: string, { own, inner }: KnownKeys): { message: string; meant: Path | undefined } {
  const nearest = nearestName(key, own);
  const place = nearest === undefined ? inner.find(([, name]) => isSpeltAlike(name, key)) : undefined;
  if (place === undefined) {
    const meant = nearest === undefined ? undefined : [nearest];
    return { message: `is not a known key.${suggestion(key, own)}`, meant };
  }
  return { message: `is not a known key here. It belongs in ${place[0]}, as ${place[1]}.`, meant: place };
}

function asSentence(message: string): string {
  return /[.?]$/.test(message) ? message : `${message}.`;
}

/** A message without the value, which may be a secret. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(issue.expected, issue.input);
    case "invalid_value":
      return valueMessage(issue.values.map(String), issue.input);
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return "must not be empty";
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "datetime" ? "must be a time, such as 2026-12-31T08:00:00Z" : "must be a UUID";
    case "invalid_key":
      return "must not have an empty name";
    default:
      return undefined;
  }
}

function valueMessage(values: readonly string[], input: unknown): string {
  if (input === null) return typeMessage("string", null);
  if (values.length > 1) return `must be one of ${values.join(", ")}`;
  return `must be ${values[0]}${input === values[0] ? ", without quotes" : ""}`;
}

function typeMessage(expected: string, input: unknown): string {
  if (input === null) {
    const isMap = expected === "object" || expected === "record";
    return `is empty. Leave it out, or ${isMap ? "write {} for an empty map" : "give it a value"}.`;
  }
  switch (expected) {
    case "string":
      return typeof input === "object" ? "must be a string" : "must be a string. Put the value in quotes.";
    case "boolean":
      return "must be true or false";
    case "object":
    case "record":
      return "must be a map";
    case "array":
      return "must be a list";
    case "int":
      return "must be a whole number";
    default:
      return "must be a number";
  }
}
