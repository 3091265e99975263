import { z } from "zod";
import { schemaNames } from "../control-plane/schema-names.ts";
import { type Operation, pathParameters } from "./operation.ts";

type Json = Record<string, unknown>;

const introduction = [
  "Creates, reads, changes and deletes deployments of agent servers, and follows their revisions.",
  "Every operation needs an API key (401 without one) and is for one workspace (403 for another key's), unless it says otherwise.",
].join("\n\n");

/** The OpenAPI 3.1 description of `operations`, made from the schemas that also check the requests. */
export function openApiDocument(operations: readonly Operation[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const item = paths[operation.path] ?? {};
    item[operation.method] = describeOperation(operation);
    paths[operation.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Agent Deployment Control Plane (mock)", version: "0.1.0", description: introduction },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: componentSchemas(operations),
      securitySchemes: {
        "API Key": { type: "apiKey", in: "header", name: "X-Api-Key" },
        "Tenant ID": { type: "apiKey", in: "header", name: "X-Tenant-Id" },
        "Bearer Auth": { type: "http", scheme: "bearer" },
      },
    },
  };
}

function describeOperation(operation: Operation): Json {
  const parameters = [
    ...pathParameters(operation.path).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: operation.textParameters?.includes(name) ? { type: "string" } : { type: "string", format: "uuid" },
    })),
    ...Object.entries(operation.query ?? {}).map(([name, { schema, description }]) => ({
      name,
      in: "query",
      required: !schema.safeParse(undefined).success,
      description,
      schema: inlineSchema(schema),
    })),
  ];
  return {
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    operationId: operation.id,
    security: operation.isOpen ? [] : [{ "API Key": [] }, { "Tenant ID": [] }, { "Bearer Auth": [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? { requestBody: { required: operation.body.required, content: json(reference(operation.body.schema)) } }
      : {}),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, { description, schema, isPage }]) => [
        status,
        {
          description,
          ...(schema ? { content: json(reference(schema)) } : {}),
          ...(isPage ? { content: { "text/html": { schema: { type: "string" } } } } : {}),
        },
      ]),
    ),
  };
}

const json = (schema: Json) => ({ "application/json": { schema } });
const componentPath = (id: string) => `#/components/schemas/${id}`;

function reference(schema: z.ZodType): Json {
  const name = schemaNames.get(schema)?.id;
  return name === undefined ? inlineSchema(schema) : { $ref: componentPath(name) };
}

function inlineSchema(schema: z.ZodType): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema) as Json;
  return described;
}

/** The named schemas: those of request bodies as they are written, in which a field with a default may be missing, the others as they are read. */
function componentSchemas(operations: readonly Operation[]): Record<string, Json> {
  const described = (io: "input" | "output") =>
    (z.toJSONSchema(schemaNames, { uri: componentPath, io }) as { schemas: Record<string, Json> }).schemas;
  const [written, read] = [described("input"), described("output")];
  const bodies = new Set(operations.map(({ body }) => body && schemaNames.get(body.schema)?.id));
  return Object.fromEntries(
    Object.entries(read).map(([id, asRead]) => {
      const { $schema: _, $id: __, ...schema } = bodies.has(id) ? (written[id] as Json) : asRead;
      return [id, { title: id, ...schema }];
    }),
  );
}
