import type { z } from "zod";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One query parameter: a string on the wire, read as `kind`, then checked by `schema`. */
export interface QueryParameter {
  kind: "string" | "integer" | "boolean" | "list";
  schema: z.ZodType;
  description: string;
}

/** One response: what it means and, unless it has no body, its schema. */
export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
}

/** One method of one path: what the router serves, the validation checks and the reference documents. */
export interface Operation {
  /** The name used by the journal, the fault rules and the reference. */
  id: string;
  method: Method;
  /** An OpenAPI template. Every `{parameter}` in it is a UUID. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  query?: Record<string, QueryParameter>;
  body?: { schema: z.ZodType; required: boolean };
  responses: Record<number, OperationResponse>;
}

/** The names of the parameters in a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** A path template in the router's notation. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** A finder of the operation that a method and a path belong to. */
export function operationFinder(
  operations: readonly Operation[],
): (method: string, path: string) => string | undefined {
  const compiled = operations.map(({ id, method, path }) => ({
    id,
    method: method.toUpperCase(),
    expression: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (method, path) =>
    compiled.find((candidate) => candidate.method === method && candidate.expression.test(path))?.id;
}
