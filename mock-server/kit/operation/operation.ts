import type { z } from "zod";
import type { HttpResponse } from "../http/http-response.ts";
import type { ValidationIssue } from "./validation-issues.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One query parameter: a string on the wire, read as `kind`, then checked by `schema`. */
export interface QueryParameter {
  kind: "string" | "integer" | "boolean" | "list";
  schema: z.ZodType;
  description: string;
}

/** One response: what it means, and its schema where it has a body. */
export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
  /** @default "application/json" */
  mediaType?: string;
  /** What the body is in other media types, where the request chooses. */
  otherForms?: Record<string, z.ZodType>;
  /** Names of headers that clients may rely on. */
  headers?: readonly string[];
}

export interface OperationBody<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  required: boolean;
  /** That a `null` is never left out, where leaving it out would mean more than the client says. @default false */
  refusesNulls?: boolean;
}

/** One method of one path: what the router serves, the validation checks and the reference documents. */
export interface Operation {
  /** The name used by the journal, the fault rules and the reference. */
  id: string;
  method: Method;
  /** An OpenAPI template. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** The path's parameters that aren't UUIDs. */
  params?: Record<string, z.ZodType>;
  query?: Record<string, QueryParameter>;
  body?: OperationBody;
  responses: Record<number, OperationResponse>;
}

/** The parts of a request that have passed an operation's schemas. */
export interface ValidRequest<Query = Record<string, unknown>, Body = unknown> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The parameters and fields that the operation doesn't know, where they aren't refused. */
  unknown: readonly ValidationIssue[];
}

/** An operation, what serves it, and what it needs to know of the caller (`Access`). Handlers get a valid request with its `Surroundings`. */
export interface Route<Surroundings, Access> extends Operation {
  access: Access;
  handle(call: Surroundings & ValidRequest<never, never>): HttpResponse | Promise<HttpResponse>;
}

type QueryOf<Parameters extends Record<string, QueryParameter>> = {
  [Name in keyof Parameters]: z.output<Parameters[Name]["schema"]>;
};

/** An operation with its handler, whose arguments are typed by the schemas. */
export type RouteDefinition<
  Surroundings,
  Access,
  Parameters extends Record<string, QueryParameter>,
  Schema extends z.ZodType,
> = Omit<Route<Surroundings, Access>, "query" | "body" | "handle"> & {
  query?: Parameters;
  body?: OperationBody<Schema>;
  handle(
    call: Surroundings & ValidRequest<QueryOf<Parameters>, z.output<Schema>>,
  ): HttpResponse | Promise<HttpResponse>;
};

/** The names of the parameters in a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}
