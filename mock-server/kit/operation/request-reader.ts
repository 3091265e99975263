import { z } from "zod";
import type { HttpError } from "../http/http-error.ts";
import { parseJson } from "../http/json.ts";
import type { RequestContext } from "../http/request-context.ts";
import { unknownFields, unknownParameter } from "./ignored-parts.ts";
import {
  type Operation,
  type OperationBody,
  pathParameters,
  type QueryParameter,
  type ValidRequest,
} from "./operation.ts";
import { issuesOf, type ValidationIssue } from "./validation-issues.ts";

/** How a server validates requests and reports problems. */
export interface ValidationStyle {
  /** The error for a request with these issues. */
  refusal(issues: ValidationIssue[]): HttpError;
  /** The issue for a body that isn't JSON. @throws {HttpError} where that is refused before other issues. */
  unreadable(error: unknown): ValidationIssue;
  /** The value of an empty body, unless a body is required. */
  emptyBody: unknown;
  /** Whether `null` counts as absent in fields that aren't nullable. */
  dropsNulls: boolean;
  /** Whether to refuse unknown body fields. */
  refusesUnknownFields: boolean;
  /** Whether to refuse this unknown query parameter. */
  refusesUnknownParameter(name: string): boolean;
  /** Maximum size of a body, in bytes. @default 1 MiB */
  bodyLimitBytes?: number;
}

const uuid = z.guid("Input should be a valid UUID").toLowerCase();

/**
 * Returns a function that reads and validates requests of `operation`. It throws the style's error with all invalid
 * fields at once, and {HttpError} 413 for a body over the limit.
 */
export function requestReader(
  operation: Operation,
  style: ValidationStyle,
): (context: RequestContext) => Promise<ValidRequest> {
  const paramNames = pathParameters(operation.path);
  const parameters = Object.entries(operation.query ?? {});
  const checked = (schema: z.ZodType, input: unknown, loc: (string | number)[], issues: ValidationIssue[]) => {
    const result = schema.safeParse(input);
    if (result.success) return result.data;
    issues.push(...issuesOf(result.error, input, loc));
    return undefined;
  };
  const readParams = (context: RequestContext, issues: ValidationIssue[]) => {
    const params: Record<string, string> = {};
    for (const name of paramNames) {
      const schema = operation.params?.[name] ?? uuid;
      params[name] = checked(schema, context.param(name), ["path", name], issues) as string;
    }
    return params;
  };
  const readQuery = (context: RequestContext, issues: ValidationIssue[], unknown: ValidationIssue[]) => {
    const query: Record<string, unknown> = {};
    for (const [name, { kind, schema }] of parameters) {
      const input = coerced(context.query.getAll(name), kind);
      if (input instanceof ParsingFailure) issues.push({ loc: ["query", name], msg: input.message, type: input.type });
      else query[name] = checked(schema, input, ["query", name], issues);
    }
    if (!context.hasQuery) return query;
    for (const name of new Set(context.query.keys())) {
      if (Object.hasOwn(operation.query ?? {}, name)) continue;
      (style.refusesUnknownParameter(name) ? issues : unknown).push(unknownParameter(name, operation));
    }
    return query;
  };
  const readBody = (
    text: string,
    { schema, required, refusesNulls }: OperationBody,
    issues: ValidationIssue[],
    unknown: ValidationIssue[],
  ) => {
    if (text.trim() === "" && required) {
      issues.push({ loc: ["body"], msg: "Field required", type: "missing" });
      return undefined;
    }
    let input = style.emptyBody;
    if (text.trim() !== "") {
      try {
        input = parseJson(text);
      } catch (error) {
        issues.push(style.unreadable(error));
        return undefined;
      }
    }
    if (input === undefined) return undefined;
    if (style.dropsNulls && !refusesNulls) input = withoutNulls(schema, input);
    const before = issues.length;
    const body = checked(schema, input, ["body"], issues);
    const fields = issues.length === before ? unknownFields(input, body, ["body"], schema) : [];
    (style.refusesUnknownFields ? issues : unknown).push(...fields);
    return body;
  };
  return async (context) => {
    const { body: described } = operation;
    const text = described && !described.isRaw ? await context.readText(style.bodyLimitBytes) : undefined;
    if (described?.isRaw) context.bodyLimitBytes = style.bodyLimitBytes;
    const issues: ValidationIssue[] = [];
    const unknown: ValidationIssue[] = [];
    const params = readParams(context, issues);
    const query = readQuery(context, issues, unknown);
    const body = described && text !== undefined ? readBody(text, described, issues, unknown) : undefined;
    if (issues.length > 0) throw style.refusal(issues);
    return { params, query, body, unknown };
  };
}

/** A parameter that can't be parsed as its kind. */
class ParsingFailure {
  readonly type: string;
  readonly message: string;
  constructor(type: string, message: string) {
    this.type = type;
    this.message = message;
  }
}

/**
 * Parses the values of a parameter. An empty one counts as absent: clients send it instead of omitting the parameter.
 */
function coerced(all: readonly string[], kind: QueryParameter["kind"]): unknown {
  const raw = all.filter((value) => value !== "");
  if (raw.length === 0) return undefined;
  if (kind === "list") return raw.flatMap(listed);
  const text = raw.at(-1) as string;
  if (kind === "integer") {
    if (/^[+-]?\d+$/.test(text)) return Number(text);
    return new ParsingFailure("int_parsing", "Input should be a valid integer, unable to parse string as an integer");
  }
  if (kind === "boolean") {
    if (/^(true|1|yes|on|t|y)$/i.test(text)) return true;
    if (/^(false|0|no|off|f|n)$/i.test(text)) return false;
    return new ParsingFailure("bool_parsing", "Input should be a valid boolean, unable to interpret input");
  }
  return text;
}

/** Parses a list: separated by commas or, from older clients, a JSON array. */
function listed(text: string): unknown[] {
  if (text.startsWith("[")) {
    try {
      return parseJson(text) as unknown[];
    } catch {
      // The schema reports the invalid value.
    }
  }
  return text.split(",").filter((value) => value !== "");
}

const refusedNulls = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** Drops `null` from fields that aren't nullable: clients send it instead of omitting the field. */
function withoutNulls(schema: z.ZodType, input: unknown): unknown {
  if (typeof input !== "object" || input === null || !Object.values(input).includes(null)) return input;
  if (!(schema instanceof z.ZodObject) || Array.isArray(input)) return input;
  let refused = refusedNulls.get(schema);
  if (!refused) {
    const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
    refused = new Set(fields.filter(([, field]) => !field.safeParse(null).success).map(([name]) => name));
    refusedNulls.set(schema, refused);
  }
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== null || !refused.has(name)));
}
