import { z } from "zod";
import { didYouMean } from "../unknown-names.ts";
import type { Operation, ValidRequest } from "./operation.ts";
import type { ValidationIssue } from "./validation-issues.ts";

/** A parameter or field that operations accept without effect. */
export interface InertPart {
  /** Name of the query parameter or body field, in every operation that has it. */
  name: string;
  /** Whether this value would have an effect on the service, and has none here. */
  isInert(value: unknown): boolean;
  /** The predicate of a sentence whose subject is the part. */
  reason: string;
}

/**
 * Sentences about the parts of a valid request that have no effect: unknown ones, and those that are accepted without
 * effect.
 */
export function ignoredParts(
  operation: Operation,
  { query, body, unknown }: ValidRequest,
  inert: readonly InertPart[],
): string[] {
  const parts = { ...query, ...(typeof body === "object" && !Array.isArray(body) ? body : {}) } as Record<
    string,
    unknown
  >;
  const vain = inert
    .filter(({ name, isInert }) => Object.hasOwn(parts, name) && isInert(parts[name]))
    .map(({ name, reason }) => `${name} of ${operation.id} ${reason}.`);
  return [
    ...unknown.map(
      ({ loc, msg }) =>
        `${placeOf(loc)} is unknown to ${operation.id} and has no effect${msg.slice(notPermitted.length)}.`,
    ),
    ...vain,
  ];
}

const maxPlaceLength = 120;
const notPermitted = "Extra inputs are not permitted";

/** The path of a part, safe to print: clients choose the names, which could contain terminal control sequences. */
function placeOf(loc: ValidationIssue["loc"]): string {
  const place = loc.map((step) => (typeof step === "number" ? "*" : step)).join(".");
  return place.slice(0, maxPlaceLength).replace(/[^\x20-\x7e]/g, "?");
}

/** The issue for an unknown query parameter. */
export function unknownParameter(name: string, { query = {} }: Operation): ValidationIssue {
  return extraField(["query", name], Object.keys(query));
}

/** The fields of `input` that its schema doesn't know, and so are missing in `output`. */
export function unknownFields(
  input: unknown,
  output: unknown,
  loc: ValidationIssue["loc"],
  schema?: z.ZodType,
): ValidationIssue[] {
  // A value that the schema passes through has no unknown fields.
  if (input === output) return [];
  if (typeof input !== "object" || input === null || typeof output !== "object" || output === null) return [];
  const shape: Record<string, z.ZodType> =
    schema instanceof z.ZodObject ? (schema.shape as z.ZodRawShape as Record<string, z.ZodType>) : {};
  return Object.entries(input).flatMap(([name, value]) => {
    const step = Array.isArray(input) ? Number(name) : name;
    if (!Object.hasOwn(output, name)) return [extraField([...loc, step], Object.keys(shape))];
    return unknownFields(value, (output as Record<string, unknown>)[name], [...loc, step], unwrapped(shape[name]));
  });
}

/** The schema inside wrappers such as optional and default. */
function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}

function extraField(loc: ValidationIssue["loc"], known: readonly string[]): ValidationIssue {
  const hint = didYouMean(String(loc.at(-1)), known).replace(/\?$/, "");
  return { loc, msg: `${notPermitted}${hint}`, type: "extra_forbidden" };
}
