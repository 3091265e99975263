import { z } from "zod";
import type { Answer } from "../http/answer.ts";
import type { Method, QueryParameter } from "../openapi/operation.ts";
import type { AgentHost } from "./agent-host.ts";

/** One response: what it means, and its schema or media type where it has a body. */
export interface AgentResponse {
  description: string;
  schema?: z.ZodType;
  /** @default "application/json" */
  mediaType?: string;
  /** What the body is in other media types, where the request chooses. */
  otherForms?: Record<string, z.ZodType>;
  /** Names of headers that clients may rely on. */
  headers?: readonly string[];
}

/** One method of one path of an agent server: what the router serves, the validation checks and the reference documents. */
export interface AgentOperation {
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
  body?: { schema: z.ZodType; required: boolean };
  responses: Record<number, AgentResponse>;
}

/** One valid request of an operation. */
export interface AgentCall<Query, Body> {
  host: AgentHost;
  params: Record<string, string>;
  query: Query;
  body: Body;
  headers: Headers;
}

/** An operation and what serves it. */
export interface AgentRoute extends AgentOperation {
  handle(call: AgentCall<never, never>): Promise<Answer>;
}

type QueryOf<Parameters extends Record<string, QueryParameter>> = {
  [Name in keyof Parameters]: z.output<Parameters[Name]["schema"]>;
};

/** Describes an operation together with its handler, whose arguments are typed by the schemas. */
export function agentRoute<
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(
  definition: Omit<AgentOperation, "query" | "body"> & {
    query?: Parameters;
    body?: { schema: Schema; required: boolean };
    handle(call: AgentCall<QueryOf<Parameters>, z.output<Schema>>): Promise<Answer>;
  },
): AgentRoute {
  return definition as unknown as AgentRoute;
}

/** A path parameter that takes an assistant's id or the name of a graph. */
export const assistantIdParameter = z.string().min(1).describe("The id of an assistant, or the name of a graph.");
