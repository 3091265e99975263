import type { z } from "zod";
import { TooDeepError } from "../http/json.ts";

/** One invalid field, as the hosted service reports it in a 422. */
export interface ValidationIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

const typeMessages: Record<string, [type: string, message: string]> = {
  string: ["string_type", "Input should be a valid string"],
  boolean: ["bool_type", "Input should be a valid boolean"],
  number: ["float_type", "Input should be a valid number"],
  int: ["int_type", "Input should be a valid integer"],
  array: ["list_type", "Input should be a valid list"],
  record: ["dict_type", "Input should be a valid dictionary"],
  object: ["model_attributes_type", "Input should be a valid dictionary or object to extract fields from"],
};

/** The issue for a body that isn't JSON. */
export function jsonIssue(error: unknown): ValidationIssue {
  const msg = error instanceof TooDeepError ? error.message : "JSON decode error";
  return { loc: ["body"], msg, type: "json_invalid" };
}

/** The issues of `input`, with paths that begin at `root`. */
export function issuesOf(error: z.ZodError, input: unknown, root: (string | number)[]): ValidationIssue[] {
  return describeAll(error.issues, input, root);
}

function describeAll(issues: z.core.$ZodIssue[], input: unknown, root: (string | number)[]): ValidationIssue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    const value = valueAt(input, path);
    const loc = [...root, ...path];
    const isUnion = issue.code === "invalid_union" && issue.errors.length > 0 && issue.message === "Invalid input";
    return isUnion && value !== undefined
      ? describeUnion(issue.errors, value, loc)
      : [{ loc, ...describe(issue, value) }];
  });
}

/** Describes the issues of a union by the alternative with the value's shape; if none has it, names all. */
function describeUnion(branches: z.core.$ZodIssue[][], value: unknown, loc: (string | number)[]): ValidationIssue[] {
  const isOfAnotherType = ({ code, path }: z.core.$ZodIssue) => code.startsWith("invalid_") && path.length === 0;
  const [likely] = branches.filter((issues) => !issues.some(isOfAnotherType)).sort((a, b) => a.length - b.length);
  if (likely !== undefined) return describeAll(likely, value, loc);
  const messages = branches.map(([first]) => (first === undefined ? "" : describe(first, value).msg));
  const [start = "", ...others] = [...new Set(messages)];
  const msg = [start, ...others.map((message) => message.replace(/^Input should be /, ""))].join(" or ");
  return [{ loc, msg, type: "value_error" }];
}

function describe(issue: z.core.$ZodIssue, value: unknown): { msg: string; type: string } {
  if (value === undefined) return { msg: "Field required", type: "missing" };
  switch (issue.code) {
    case "invalid_type": {
      if (issue.expected === "int" && typeof value === "number") {
        return { msg: "Input should be a valid integer, got a number with a fractional part", type: "int_from_float" };
      }
      const [type, msg] = typeMessages[issue.expected] ?? ["value_error", issue.message];
      return { msg, type };
    }
    case "too_small":
      if (issue.origin === "string")
        return { msg: `String should have at least ${issue.minimum} character(s)`, type: "string_too_short" };
      if (issue.origin === "array")
        return { msg: `List should have at least ${issue.minimum} item(s)`, type: "too_short" };
      return { msg: `Input should be greater than or equal to ${issue.minimum}`, type: "greater_than_equal" };
    case "too_big":
      if (issue.origin === "array") return { msg: `List should have at most ${issue.maximum} items`, type: "too_long" };
      return { msg: `Input should be less than or equal to ${issue.maximum}`, type: "less_than_equal" };
    case "invalid_value":
      // A schema's own message takes precedence.
      if (issue.message.startsWith("Input should be")) return { msg: issue.message, type: "enum" };
      return { msg: `Input should be ${alternatives(issue.values.map(String))}`, type: "enum" };
    case "invalid_format":
      if (issue.format === "uuid" || issue.format === "guid")
        return { msg: "Input should be a valid UUID", type: "uuid_parsing" };
      return { msg: issue.message, type: "value_error" };
    default:
      return { msg: issue.message, type: "value_error" };
  }
}

function alternatives(values: string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

function valueAt(input: unknown, path: (string | number)[]): unknown {
  let value = input;
  for (const step of path) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
