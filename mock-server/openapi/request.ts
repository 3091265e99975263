import { readText } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { parseJson } from "../http/json.ts";
import { unprocessable } from "../http-error.ts";
import { type Operation, pathParameters, type QueryParameter } from "./operation.ts";
import { issuesOf, jsonIssue, type ValidationIssue } from "./validation.ts";

const uuidExpression = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A request whose path, query and body have passed the operation's schemas. */
export interface ValidRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

/**
 * What reads and checks everything that `operation` describes; all broken fields are reported at once, and where it is strict, also those that
 * the operation doesn't know. What it returns doesn't wait where the body has come already, and throws {HttpError} 422 for broken fields and 413
 * for a body over the limit.
 */
export function requestReader(
  operation: Operation,
  isStrict: boolean,
): (exchange: Exchange) => ValidRequest | Promise<ValidRequest> {
  const paramNames = pathParameters(operation.path);
  const textParams = new Set(operation.textParameters);
  const parameters = Object.entries(operation.query ?? {});
  const readQuery = (exchange: Exchange, issues: ValidationIssue[]) => {
    const query: Record<string, unknown> = {};
    for (const [name, parameter] of parameters) {
      const raw = exchange.hasQuery ? exchange.query.getAll(name) : [];
      query[name] = readParameter(name, raw, parameter, issues);
    }
    return query;
  };
  const readParams = (exchange: Exchange, issues: ValidationIssue[]) => {
    const params: Record<string, string> = {};
    for (const name of paramNames) {
      const value = exchange.param(name);
      if (textParams.has(name)) {
        params[name] = value;
        continue;
      }
      if (!uuidExpression.test(value)) {
        issues.push({ loc: ["path", name], msg: "Input should be a valid UUID", type: "uuid_parsing" });
      }
      params[name] = value.toLowerCase();
    }
    return params;
  };
  const check = (exchange: Exchange, text: string | undefined): ValidRequest => {
    const issues: ValidationIssue[] = [];
    const params = readParams(exchange, issues);
    const query = readQuery(exchange, issues);
    if (isStrict && exchange.hasQuery) {
      for (const name of new Set(exchange.query.keys())) {
        if (!Object.hasOwn(operation.query ?? {}, name)) issues.push(extraField(["query", name]));
      }
    }
    const body = operation.body && text !== undefined ? readBody(text, operation.body, issues, isStrict) : undefined;
    if (issues.length > 0) throw unprocessable(issues);
    return { params, query, body };
  };
  return (exchange) => {
    const text = operation.body ? readText(exchange) : undefined;
    return text instanceof Promise ? text.then((all) => check(exchange, all)) : check(exchange, text);
  };
}

function readParameter(
  name: string,
  raw: readonly string[],
  parameter: QueryParameter,
  issues: ValidationIssue[],
): unknown {
  const input = coerce(raw, parameter.kind);
  if (input instanceof ParsingFailure) {
    issues.push({ loc: ["query", name], msg: input.message, type: input.type });
    return undefined;
  }
  const result = parameter.schema.safeParse(input);
  if (result.success) return result.data;
  issues.push(...issuesOf(result.error, input, ["query", name]));
  return undefined;
}

class ParsingFailure {
  readonly type: string;
  readonly message: string;
  constructor(type: string, message: string) {
    this.type = type;
    this.message = message;
  }
}

function coerce(raw: readonly string[], kind: QueryParameter["kind"]): unknown {
  if (raw.length === 0) return undefined;
  if (kind === "list") return raw.flatMap((value) => value.split(",")).filter((value) => value !== "");
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

function readBody(
  text: string,
  description: NonNullable<Operation["body"]>,
  issues: ValidationIssue[],
  isStrict: boolean,
): unknown {
  if (text.trim() === "") {
    if (description.required) issues.push({ loc: ["body"], msg: "Field required", type: "missing" });
    return undefined;
  }
  let input: unknown;
  try {
    input = parseJson(text);
  } catch (error) {
    issues.push(jsonIssue(error));
    return undefined;
  }
  const result = description.schema.safeParse(input);
  if (result.success) {
    if (isStrict) issues.push(...extraFields(input, result.data, ["body"]));
    return result.data;
  }
  issues.push(...issuesOf(result.error, input, ["body"]));
  return undefined;
}

const extraField = (loc: ValidationIssue["loc"]): ValidationIssue => ({
  loc,
  msg: "Extra inputs are not permitted",
  type: "extra_forbidden",
});

/** The fields of `input` that its schema has left out of `output`, because it doesn't know them. */
function extraFields(input: unknown, output: unknown, loc: ValidationIssue["loc"]): ValidationIssue[] {
  if (typeof input !== "object" || input === null || typeof output !== "object" || output === null) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const step = Array.isArray(input) ? Number(name) : name;
    if (!Object.hasOwn(output, name)) return [extraField([...loc, step])];
    return extraFields(value, (output as Record<string, unknown>)[name], [...loc, step]);
  });
}
