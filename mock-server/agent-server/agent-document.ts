import { z } from "zod";
import { pathParameters } from "../openapi/operation.ts";
import type { AgentOperation, AgentResponse } from "./agent-operation.ts";
import { agentSchemaNames, errorResponse } from "./agent-schemas.ts";

type Json = Record<string, unknown>;

const componentPath = (id: string) => `#/components/schemas/${id}`;

/** The OpenAPI 3.1 description of an agent server, made from the schemas that also check its requests. */
export function agentDocument(operations: readonly AgentOperation[]): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = describe(operation);
    paths[operation.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent server (mock)",
      version: "0.1.0",
      description: "Runs graphs: assistants, threads, runs and their streams, schedules, and a key-value store.",
    },
    servers: [{ url: "." }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: { "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" } },
    },
    security: [{ "API Key": [] }],
  };
}

/** What any operation that takes a body may answer before it has read it. */
const unreadableBody = {
  400: { description: "The body is no JSON.", schema: errorResponse },
  413: { description: "The body is larger than the server takes.", schema: errorResponse },
};

function describe(operation: AgentOperation): Json {
  const parameters = [
    ...pathParameters(operation.path).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: operation.params?.[name] ? schemaOf(operation.params[name]) : { type: "string", format: "uuid" },
    })),
    ...Object.entries(operation.query ?? {}).map(([name, { schema, description }]) => ({
      name,
      in: "query",
      required: !schema.safeParse(undefined).success,
      description,
      schema: schemaOf(schema),
    })),
  ];
  return {
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: operation.body.required,
            content: content("application/json", operation.body.schema),
          },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries<AgentResponse>({ ...(operation.body ? unreadableBody : {}), ...operation.responses }).map(
        ([status, { description, schema, mediaType, otherForms, headers }]) => [
          status,
          {
            description,
            ...(schema
              ? { content: { ...content(mediaType ?? "application/json", schema), ...contents(otherForms ?? {}) } }
              : {}),
            ...(headers
              ? { headers: Object.fromEntries(headers.map((name) => [name, { schema: { type: "string" } }])) }
              : {}),
          },
        ],
      ),
    ),
  };
}

const content = (mediaType: string, schema: z.ZodType) => ({ [mediaType]: { schema: schemaOf(schema) } });

const contents = (forms: Record<string, z.ZodType>) =>
  Object.fromEntries(Object.entries(forms).map(([mediaType, schema]) => [mediaType, { schema: schemaOf(schema) }]));

function schemaOf(schema: z.ZodType): Json {
  const id = agentSchemaNames.get(schema)?.id;
  if (id !== undefined) return { $ref: componentPath(id) };
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json;
  return described;
}

function componentSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(agentSchemaNames, {
    uri: componentPath,
    io: "input",
    unrepresentable: "any",
  }) as { schemas: Record<string, Json> };
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, { title: id, ...schema }]),
  );
}
