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
import type { SecuritySettings } from "./project-settings.ts";
import type { ProtocolHost } from "./protocol-host.ts";

/** The context of a handler, beside the parts of the request. */
interface AgentCall extends AgentServices {
  headers: Headers;
  host: ProtocolHost;
}

/** An operation with its handler; `access` calls the auth handlers, if the project has any. */
export type AgentRoute = Route<AgentCall, AccessRule>;

/** Defines an operation and its handler, whose arguments have the types of the schemas. */
export function agentRoute<
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(definition: RouteDefinition<AgentCall, AccessRule, Parameters, Schema>): AgentRoute {
  return definition as unknown as AgentRoute;
}

/** A path parameter: the id of an assistant or of a graph. */
export const assistantIdParameter = z.string().min(1).describe("The id of an assistant, or the name of a graph.");

/** How an agent server reports invalid requests: in one sentence, as the service does. */
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

/** Responses of operations with a body, before they read it. */
const bodyResponses: Record<number, OperationResponse> = {
  400: { description: "The body isn't JSON, or isn't UTF-8.", schema: errorResponse },
  413: { description: "The body is larger than the server accepts.", schema: errorResponse },
};

/**
 * The OpenAPI description of an agent server; `needsKeys`: whether requests need an API key, `security`: what the
 * project says about its auth handlers.
 */
export function agentDocument(
  routes: readonly AgentRoute[],
  needsKeys: boolean,
  { schemes, requirements, byPath }: SecuritySettings = { schemes: {}, requirements: null, byPath: {} },
): Record<string, unknown> {
  return openApiDocument(routes, {
    title: "Agent server (mock)",
    description: [
      "Runs graphs: assistants, threads, runs and their streams, schedules, and a key-value store.",
      "Where the server has keys or auth handlers, every operation but those of the system may respond with 401 and 403.",
      failuresOfAll,
    ].join("\n\n"),
    serverUrl: ".",
    schemaNames: agentSchemaNames,
    securitySchemes: {
      ...(needsKeys ? { "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" } } : {}),
      ...schemes,
    },
    securityOf({ path, method }) {
      const ofPath = byPath[path]?.[method.toUpperCase()] ?? byPath[path]?.[method];
      if (ofPath) return [...ofPath];
      if (isOpenAgentPath(path, method.toUpperCase())) return [];
      return requirements ? [...requirements] : needsKeys ? [{ "API Key": [] }] : [];
    },
    bodyResponses,
    responsesAs: "input",
  });
}
