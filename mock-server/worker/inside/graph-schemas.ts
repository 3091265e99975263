import type { Fields, GraphSchemas } from "../../agent-server/engine/contract.ts";
import { messageSchema } from "../types/message-schema.ts";
import { contextNames } from "./context-types.ts";
import type { CompiledGraph } from "./graph-export.ts";
import type { Library } from "./library.ts";

/** The library's information on how a graph was built. */
interface Built {
  builder?: { channels?: Fields; _inputDefinition?: Fields; _outputDefinition?: Fields };
  channels: Fields;
}

/**
 * The JSON Schemas of a graph that was declared with schemas. A field that is declared by a type only, which doesn't
 * exist at run time, has an empty schema unless it is a list of messages.
 */
export function schemasOf(library: Library, graph: CompiledGraph): GraphSchemas {
  const { schemas } = library;
  const { builder } = graph as unknown as Built;
  const state = channelSchemas(library, graph);
  const fieldsOf = (definition: Fields = state) =>
    Object.fromEntries(Object.keys(definition).map((name) => [name, state[name] ?? {}]));
  const title = graph.getName();
  const config = complete(schemas && (() => schemas.getConfigTypeSchema(graph)), {
    type: "object",
    properties: Object.fromEntries(contextNames(builder).map((name) => [name, {}])),
  });
  return {
    input_schema: complete(schemas && (() => schemas.getInputTypeSchema(graph)), {
      type: "object",
      title,
      properties: fieldsOf(builder?._inputDefinition),
    }),
    output_schema: complete(schemas && (() => schemas.getOutputTypeSchema(graph)), {
      type: "object",
      title,
      properties: fieldsOf(builder?._outputDefinition),
    }),
    state_schema: complete(schemas && (() => schemas.getStateTypeSchema(graph)), {
      type: "object",
      title,
      properties: state,
    }),
    config_schema: config,
    context_schema: config,
  };
}

/** The schemas of a graph's subgraphs by path. */
export async function subgraphSchemas(
  library: Library,
  graph: CompiledGraph,
  recurse: boolean,
): Promise<Record<string, GraphSchemas>> {
  const found: Record<string, GraphSchemas> = {};
  for await (const [path, subgraph] of graph.getSubgraphsAsync(undefined, recurse)) {
    found[path] = schemasOf(library, subgraph as CompiledGraph);
  }
  return found;
}

interface ObjectSchema extends Fields {
  properties: Fields;
}

/** The library's schema, with the fields that it leaves out; without one, the schema with the names of the fields. */
function complete(read: (() => unknown) | undefined, names: ObjectSchema): Fields {
  try {
    const schema = read?.() as Partial<ObjectSchema> | undefined;
    return schema?.properties ? { ...schema, properties: { ...names.properties, ...schema.properties } } : names;
  } catch {
    // JSON Schema can't express this schema.
    return names;
  }
}

/** The schemas of a graph's fields, which are empty for all but lists of messages. */
function channelSchemas({ addMessages }: Library, graph: CompiledGraph): Record<string, Fields> {
  const channels = (graph as unknown as Built).builder?.channels ?? (graph as unknown as Built).channels;
  const fields = Object.entries(channels).filter(([name]) => !name.startsWith("__") && !name.startsWith("branch:"));
  return Object.fromEntries(
    fields.map(([name, channel]) => {
      const isMessages = (channel as { operator?: unknown } | null)?.operator === addMessages;
      return [name, isMessages ? { type: "array", items: messageSchema } : {}];
    }),
  );
}
