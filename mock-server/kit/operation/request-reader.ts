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

/** How a server judges requests, and says what is wrong with them. */
export interface ValidationStyle {
  /** The refusal of a request with these broken fields. */
  refusal(issues: ValidationIssue[]): HttpError;
  /** What is wrong with a body that isn't JSON. @throws {HttpError} where that is refused before anything else. */
  unreadable(error: unknown): ValidationIssue;
  /** What an empty body reads as, unless it is required. */
  emptyBody: unknown;
  /** Whether a `null` is left out where its field doesn't take one. */
  dropsNulls: boolean;
  /** Whether fields of a body that the operation doesn't know are refused. */
  refusesUnknownFields: boolean;
  /** Whether a query parameter that the operation doesn't know is refused. */
  refusesUnknownParameter(name: string): boolean;
  /** Largest body that is accepted. @default 1 MiB */
  bodyLimitBytes?: number;
}

const uuid = z.guid("Input should be a valid UUID").toLowerCase();

/**
 * Returns what reads and checks everything that `operation` describes; all broken fields are reported at once. It throws the style's refusal for
 * broken fields, and {HttpError} 413 for a body over the limit.
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
    const text = operation.body && (await context.readText(style.bodyLimitBytes));
    const issues: ValidationIssue[] = [];
    const unknown: ValidationIssue[] = [];
    const params = readParams(context, issues);
    const query = readQuery(context, issues, unknown);
    const body = operation.body && text !== undefined ? readBody(text, operation.body, issues, unknown) : undefined;
    if (issues.length > 0) throw style.refusal(issues);
    return { params, query, body, unknown };
  };
}

/** A parameter that can't be read as its kind. */
class ParsingFailure {
  readonly type: string;
  readonly message: string;
  constructor(type: string, message: string) {
    this.type = type;
    this.message = message;
  }
}

/** What a parameter's values are read as. An empty one counts as absent: clients send it for what they leave out. */
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

/** The values of a list: with commas between them, or as older clients send one, a JSON array. */
function listed(text: string): unknown[] {
  if (text.startsWith("[")) {
    try {
      return parseJson(text) as unknown[];
    } catch {
      // The schema says what is wrong with the value.
    }
  }
  return text.split(",").filter((value) => value !== "");
}

const refusedNulls = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** Clients send `null` for what they leave out: where a field takes no `null`, it is left out. */
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
