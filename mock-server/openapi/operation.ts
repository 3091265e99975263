import type { z } from "zod";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One query parameter: a string on the wire, read as `kind`, then checked by `schema`. */
export interface QueryParameter {
  kind: "string" | "integer" | "boolean" | "list";
  schema: z.ZodType;
  description: string;
}

/** One response: what it means and, unless it has no body or is a page, its schema. */
export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
  /** Whether the body is an HTML page. */
  isPage?: boolean;
}

/** One method of one path: what the router serves, the validation checks and the reference documents. */
export interface Operation {
  /** The name used by the journal, the fault rules and the reference. */
  id: string;
  method: Method;
  /** An OpenAPI template. Every `{parameter}` in it is a UUID, apart from {@link textParameters}. */
  path: string;
  /** Names of the path's parameters that may be any text. */
  textParameters?: readonly string[];
  /** Whether callers without a key may use it, such as browsers on their way back from an OAuth provider. */
  isOpen?: boolean;
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
