import { z } from "zod";
import { type Operation, type OperationResponse, pathParameters } from "../operation/operation.ts";

type Json = Record<string, unknown>;
type SchemaNames = z.core.$ZodRegistry<{ id: string }>;

/** The parts of an OpenAPI description besides its operations. */
export interface DocumentOptions {
  title: string;
  description: string;
  serverUrl: string;
  /** The names of schemas under `#/components/schemas/`. */
  schemaNames: SchemaNames;
  securitySchemes: Json;
  /** The security requirements of an operation. */
  securityOf: (operation: Operation) => Json[];
  /** Responses of operations with a body, before they read it. @default none */
  bodyResponses?: Record<number, OperationResponse>;
  /**
   * Whether to describe responses by the input of their schemas, or by the output, in which fields with a default are
   * required.
   */
  responsesAs: "input" | "output";
}

/** The OpenAPI 3.1 description of `operations`, generated from the schemas that validate requests. */
export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(operation, options) };
  }
  const { title, description, serverUrl, securitySchemes } = options;
  return {
    openapi: "3.1.0",
    info: { title, version: "0.1.0", description },
    servers: [{ url: serverUrl }],
    paths,
    components: { schemas: componentSchemas(operations, options), securitySchemes },
  };
}

function describeOperation(operation: Operation, options: DocumentOptions): Json {
  const { schemaNames, securityOf, bodyResponses, responsesAs } = options;
  const content = (mediaType: string, schema: z.ZodType, io: "input" | "output") => ({
    [mediaType]: { schema: schemaOf(schema, schemaNames, io) },
  });
  const parameters = [
    ...pathParameters(operation.path).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: schemaOf(operation.params?.[name] ?? z.guid(), schemaNames, "input"),
    })),
    ...Object.entries(operation.query ?? {}).map(([name, { schema, description }]) => ({
      name,
      in: "query",
      required: !schema.safeParse(undefined).success,
      description,
      schema: schemaOf(schema, schemaNames, "input"),
    })),
  ];
  const describeResponse = ({ description, schema, mediaType = "application/json", ...rest }: OperationResponse) => ({
    description,
    ...(schema
      ? {
          content: Object.assign(
            content(mediaType, schema, responsesAs),
            ...Object.entries(rest.otherForms ?? {}).map(([type, form]) => content(type, form, responsesAs)),
          ),
        }
      : {}),
    ...(rest.headers
      ? { headers: Object.fromEntries(rest.headers.map((name) => [name, { schema: { type: "string" } }])) }
      : {}),
  });
  const responses = { ...(operation.body ? bodyResponses : {}), ...operation.responses };
  return {
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    operationId: operation.id,
    security: securityOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: operation.body.required,
            content: content("application/json", operation.body.schema, "input"),
          },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, describeResponse(response)]),
    ),
  };
}

const componentPath = (id: string) => `#/components/schemas/${id}`;

function schemaOf(schema: z.ZodType, names: SchemaNames, io: "input" | "output"): Json {
  const id = names.get(schema)?.id;
  if (id !== undefined) return { $ref: componentPath(id) };
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return described;
}

/** The named schemas; those of request bodies by their input, in which fields with a default are optional. */
function componentSchemas(operations: readonly Operation[], options: DocumentOptions): Record<string, Json> {
  const { schemaNames, responsesAs } = options;
  const describe = (io: "input" | "output") =>
    z.toJSONSchema(schemaNames, { uri: componentPath, io, unrepresentable: "any" }).schemas as Record<string, Json>;
  const written = describe("input");
  const read = describe(responsesAs);
  const bodies = new Set(operations.map(({ body }) => body && schemaNames.get(body.schema)?.id));
  return Object.fromEntries(
    Object.entries(read).map(([id, asRead]) => {
      const { $schema: _, $id: __, ...schema } = bodies.has(id) ? (written[id] as Json) : asRead;
      return [id, { title: id, ...schema }];
    }),
  );
}
