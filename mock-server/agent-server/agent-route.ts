import { z } from "zod";
import { HttpError } from "../kit/http/http-error.ts";
import { TooDeepError } from "../kit/http/json.ts";
import { openApiDocument } from "../kit/openapi/document.ts";
import { failuresOfAll } from "../kit/openapi/failures.ts";
import type { OperationResponse, QueryParameter, Route, RouteDefinition } from "../kit/operation/operation.ts";
import type { ValidationStyle } from "../kit/operation/request-reader.ts";
import type { ValidationIssue } from "../kit/operation/validation-issues.ts";
import { agentSchemaNames, errorResponse } from "./agent-schemas.ts";
import { isOpenAgentPath } from "./agent-server.ts";
import type { AgentServices } from "./agent-services.ts";
import type { AccessRule } from "./auth/access-rule.ts";

/** What handlers get beside the request's own parts. */
interface AgentCall extends AgentServices {
  headers: Headers;
}

/** An operation and what serves it; `access` asks the auth handlers, where there are any. */
export type AgentRoute = Route<AgentCall, AccessRule>;

/** Describes an operation together with its handler, whose arguments are typed by the schemas. */
export function agentRoute<
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(definition: RouteDefinition<AgentCall, AccessRule, Parameters, Schema>): AgentRoute {
  return definition as unknown as AgentRoute;
}

/** A path parameter that takes an assistant's id or the name of a graph. */
export const assistantIdParameter = z.string().min(1).describe("The id of an assistant, or the name of a graph.");

/** How an agent server judges requests: one sentence says what is wrong, as the service does. */
export const agentValidationStyle = (bodyLimitBytes: number): ValidationStyle => ({
  refusal: (issues) => new HttpError(422, issues.map(sentence).join("; ")),
  unreadable(error) {
    throw new HttpError(400, error instanceof TooDeepError ? error.message : "The body is not valid JSON.");
  },
  emptyBody: {},
  dropsNulls: true,
  refusesUnknownFields: false,
  refusesUnknownParameter: () => false,
  bodyLimitBytes,
});

function sentence({ loc, msg }: ValidationIssue): string {
  return `${loc.join(".")}: ${msg}`;
}

/** What any operation that takes a body may respond before it has read it. */
const bodyResponses: Record<number, OperationResponse> = {
  400: { description: "The body isn't JSON, or isn't UTF-8.", schema: errorResponse },
  413: { description: "The body is larger than the server takes.", schema: errorResponse },
};

/** The OpenAPI description of an agent server, which asks for a key or doesn't. */
export function agentDocument(routes: readonly AgentRoute[], needsKeys: boolean): Record<string, unknown> {
  return openApiDocument(routes, {
    title: "Agent server (mock)",
    description: [
      "Runs graphs: assistants, threads, runs and their streams, schedules, and a key-value store.",
      "Where keys or auth handlers are asked for, every operation but those of the system may respond with 401 and 403.",
      failuresOfAll,
    ].join("\n\n"),
    serverUrl: ".",
    schemaNames: agentSchemaNames,
    securitySchemes: needsKeys ? { "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" } } : {},
    securityOf: ({ path }) => (needsKeys && !isOpenAgentPath(path) ? [{ "API Key": [] }] : []),
    bodyResponses,
    responsesAs: "input",
  });
}
