import type { z } from "zod";
import type { HttpResponse } from "../http/http-response.ts";
import type { ValidationIssue } from "./validation-issues.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** A query parameter: a string on the wire, parsed as `kind`, then validated by `schema`. */
export interface QueryParameter {
  kind: "string" | "integer" | "boolean" | "list";
  schema: z.ZodType;
  description: string;
}

/** A response: its meaning, and its schema if it has a body. */
export interface OperationResponse {
  description: string;
  schema?: z.ZodType;
  /** @default "application/json" */
  mediaType?: string;
  /** Schemas of the body in other media types that the request can choose. */
  otherForms?: Record<string, z.ZodType>;
  /** Names of headers that clients can rely on. */
  headers?: readonly string[];
}

export interface OperationBody<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  required: boolean;
  /** Refuses `null` instead of treating it as absent, where an absent field would select more. @default false */
  refusesNulls?: boolean;
  /** The handler reads, parses and validates it, and the schema only describes it. @default false */
  isRaw?: boolean;
}

/** One method of one path, for router, validation and reference. */
export interface Operation {
  /** The id in the journal, fault rules and the reference. */
  id: string;
  method: Method;
  /** An OpenAPI path template. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** Path parameters that aren't UUIDs. */
  params?: Record<string, z.ZodType>;
  query?: Record<string, QueryParameter>;
  body?: OperationBody;
  responses: Record<number, OperationResponse>;
}

/** The validated parts of a request. */
export interface ValidRequest<Query = Record<string, unknown>, Body = unknown> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Unknown parameters and fields that weren't refused. */
  unknown: readonly ValidationIssue[];
}

/**
 * An operation with its handler and its access rule (`Access`). Handlers get the valid request and its context
 * (`Surroundings`).
 */
export interface Route<Surroundings, Access> extends Operation {
  access: Access;
  handle(call: Surroundings & ValidRequest<never, never>): HttpResponse | Promise<HttpResponse>;
}

type QueryOf<Parameters extends Record<string, QueryParameter>> = {
  [Name in keyof Parameters]: z.output<Parameters[Name]["schema"]>;
};

/** An operation with its handler, whose arguments have the types of the schemas. */
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
