import { z } from "zod";
import { didYouMean } from "../likely-name.ts";
import type { Operation, ValidRequest } from "./operation.ts";
import type { ValidationIssue } from "./validation-issues.ts";

/** A parameter or a field of an operation that is taken and does nothing. */
export interface InertPart {
  /** Of a query parameter or a field of the body; of every operation that has it. */
  name: string;
  /** Whether a value asks for what isn't done. */
  isInert(value: unknown): boolean;
  /** The rest of a sentence about it. */
  reason: string;
}

/** What of a valid request does nothing, one sentence each: what the operation doesn't know, and what it takes in vain. */
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
        `${placeOf(loc)} isn't known to ${operation.id}, and does nothing${msg.slice(notPermitted.length)}.`,
    ),
    ...vain,
  ];
}

const maxPlaceLength = 120;
const notPermitted = "Extra inputs are not permitted";

/** The place of a part, as it can be printed: clients choose names, and those may command a terminal. */
function placeOf(loc: ValidationIssue["loc"]): string {
  const place = loc.map((step) => (typeof step === "number" ? "*" : step)).join(".");
  return place.slice(0, maxPlaceLength).replace(/[^\x20-\x7e]/g, "?");
}

/** A query parameter that isn't one of the operation's. */
export function unknownParameter(name: string, { query = {} }: Operation): ValidationIssue {
  return extraField(["query", name], Object.keys(query));
}

/** The fields of `input` that its schema has left out of `output`, because it doesn't know them. */
export function unknownFields(
  input: unknown,
  output: unknown,
  loc: ValidationIssue["loc"],
  schema?: z.ZodType,
): ValidationIssue[] {
  // What the schema takes as it is has no unknown fields.
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

/** The schema inside of what makes it optional. */
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
