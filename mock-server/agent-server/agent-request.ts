import { z } from "zod";
import { readText } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { parseJson, TooDeepError } from "../http/json.ts";
import { HttpError } from "../http-error.ts";
import { pathParameters, type QueryParameter } from "../openapi/operation.ts";
import { issuesOf, type ValidationIssue } from "../openapi/validation.ts";
import type { AgentOperation } from "./agent-operation.ts";
import { isUuid } from "./engine/identifiers.ts";

/** A request whose path, query and body have passed the operation's schemas. */
interface ValidAgentRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

/**
 * What reads and checks everything that `operation` describes; all broken fields are reported at once. What it returns doesn't wait where the body
 * has come already, and throws {HttpError} 422 for broken fields, 400 for a body that is no JSON, 413 for one of more than the limit.
 */
export function agentRequestReader(
  operation: AgentOperation,
): (exchange: Exchange, bodyLimitBytes: number) => ValidAgentRequest | Promise<ValidAgentRequest> {
  const paramNames = pathParameters(operation.path);
  const parameters = Object.entries(operation.query ?? {});
  const readParams = (exchange: Exchange, issues: ValidationIssue[]) => {
    const params: Record<string, string> = {};
    for (const name of paramNames) {
      const value = exchange.param(name);
      const schema = operation.params?.[name];
      if (schema) {
        const result = schema.safeParse(value);
        if (!result.success) issues.push(...issuesOf(result.error, value, ["path", name]));
        params[name] = value;
      } else if (isUuid(value)) params[name] = value.toLowerCase();
      else issues.push({ loc: ["path", name], msg: "Input should be a valid UUID", type: "uuid_parsing" });
    }
    return params;
  };
  const readQuery = (exchange: Exchange, issues: ValidationIssue[]) => {
    const query: Record<string, unknown> = {};
    for (const [name, parameter] of parameters) {
      const input = coerced(exchange.hasQuery ? exchange.query.getAll(name) : [], parameter.kind);
      const result = parameter.schema.safeParse(input);
      if (result.success) query[name] = result.data;
      else issues.push(...issuesOf(result.error, input, ["query", name]));
    }
    return query;
  };
  const check = (exchange: Exchange, text: string | undefined): ValidAgentRequest => {
    const issues: ValidationIssue[] = [];
    const params = readParams(exchange, issues);
    const query = readQuery(exchange, issues);
    const body = operation.body && text !== undefined ? readBody(text, operation.body, issues) : undefined;
    if (issues.length > 0) throw new HttpError(422, issues.map(sentence).join("; "));
    return { params, query, body };
  };
  return (exchange, bodyLimitBytes) => {
    const text = operation.body ? readText(exchange, bodyLimitBytes) : undefined;
    return text instanceof Promise ? text.then((all) => check(exchange, all)) : check(exchange, text);
  };
}

function sentence({ loc, msg }: ValidationIssue): string {
  return `${loc.join(".")}: ${msg}`;
}

/** What can't be read as the kind stays text, which the schema then refuses. */
function coerced(raw: readonly string[], kind: QueryParameter["kind"]): unknown {
  if (raw.length === 0) return undefined;
  if (kind === "list") return raw.flatMap(valuesOf);
  const text = raw.at(-1) as string;
  if (kind === "integer" && /^[+-]?\d+$/.test(text)) return Number(text);
  if (kind === "boolean" && /^(true|1|yes|on)$/i.test(text)) return true;
  if (kind === "boolean" && /^(false|0|no|off)$/i.test(text)) return false;
  return text;
}

/** The values of a list: with commas between them, or as older clients send one, a JSON array. */
function valuesOf(text: string): unknown[] {
  if (text.startsWith("[")) {
    try {
      return parseJson(text) as unknown[];
    } catch {
      // Whoever checks the value says what is wrong with it.
    }
  }
  return text.split(",").filter((value) => value !== "");
}

function readBody(
  text: string,
  { schema, required }: NonNullable<AgentOperation["body"]>,
  issues: ValidationIssue[],
): unknown {
  if (text.trim() === "" && required) {
    issues.push({ loc: ["body"], msg: "Field required", type: "missing" });
    return undefined;
  }
  let input: unknown;
  try {
    input = text.trim() === "" ? {} : parseJson(text);
  } catch (error) {
    throw new HttpError(400, error instanceof TooDeepError ? error.message : "The body is not valid JSON.");
  }
  const cleaned = withoutNulls(schema, input);
  const result = schema.safeParse(cleaned);
  if (result.success) return result.data;
  issues.push(...issuesOf(result.error, cleaned, ["body"]));
  return undefined;
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
