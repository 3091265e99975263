import type { Context } from "hono";
import { HttpError, unprocessable } from "../http-error.ts";
import { type Operation, pathParameters, type QueryParameter } from "./operation.ts";
import { issuesOf, type ValidationIssue } from "./validation.ts";

/** Largest accepted body: 1 MiB. */
const bodyLimitBytes = 1024 * 1024;

const uuidExpression = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A request whose path, query and body have passed the operation's schemas. */
export interface ValidRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

/**
 * Reads and checks everything that `operation` describes; all broken fields are reported at once.
 * @throws {HttpError} 422 for broken fields and, where strict, for fields that the operation doesn't know; 413 for a body over
 * {@link bodyLimitBytes}.
 */
export async function readRequest(context: Context, operation: Operation, isStrict = false): Promise<ValidRequest> {
  const issues: ValidationIssue[] = [];
  const params: Record<string, string> = {};
  for (const name of pathParameters(operation.path)) {
    const value = context.req.param(name) ?? "";
    if (operation.textParameters?.includes(name)) {
      params[name] = value;
      continue;
    }
    if (!uuidExpression.test(value)) {
      issues.push({ loc: ["path", name], msg: "Input should be a valid UUID", type: "uuid_parsing" });
    }
    params[name] = value.toLowerCase();
  }
  const query: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(operation.query ?? {})) {
    const raw = context.req.queries(name);
    query[name] = readParameter(name, raw, parameter, issues);
  }
  if (isStrict) {
    for (const name of Object.keys(context.req.query())) {
      if (!Object.hasOwn(operation.query ?? {}, name)) issues.push(extraField(["query", name]));
    }
  }
  const body = operation.body ? await readBody(context, operation.body, issues, isStrict) : undefined;
  if (issues.length > 0) throw unprocessable(issues);
  return { params, query, body };
}

function readParameter(
  name: string,
  raw: string[] | undefined,
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

function coerce(raw: string[] | undefined, kind: QueryParameter["kind"]): unknown {
  if (raw === undefined) return undefined;
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

async function readBody(
  context: Context,
  description: NonNullable<Operation["body"]>,
  issues: ValidationIssue[],
  isStrict: boolean,
): Promise<unknown> {
  const text = await readText(context);
  if (text.trim() === "") {
    if (description.required) issues.push({ loc: ["body"], msg: "Field required", type: "missing" });
    return undefined;
  }
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    issues.push({ loc: ["body"], msg: "JSON decode error", type: "json_invalid" });
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

/**
 * The body as text, read once and kept for the journal.
 * @throws {HttpError} 413 when it is over the limit, by default {@link bodyLimitBytes}.
 */
export async function readText(context: Context, limitBytes = bodyLimitBytes): Promise<string> {
  const kept = context.get("requestText") as string | undefined;
  if (kept !== undefined) return kept;
  // The rest of the body is never read, so the connection can't be used again.
  const tooLarge = () =>
    new HttpError(413, `The request body is larger than ${limitBytes} bytes.`, { connection: "close" });
  const declared = context.req.header("content-length");
  if (declared !== undefined && Number(declared) > limitBytes) throw tooLarge();
  let text: string;
  if (declared !== undefined) {
    text = await context.req.text();
  } else {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (context.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limitBytes) throw tooLarge();
      chunks.push(chunk);
    }
    text = Buffer.concat(chunks).toString("utf8");
  }
  context.set("requestText", text);
  return text;
}
