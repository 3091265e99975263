import type { Fields, GraphSchemas } from "../../agent-server/engine/contract.ts";
import { contextNames } from "./context-types.ts";
import type { CompiledGraph } from "./graph-export.ts";
import type { Library } from "./library.ts";

/** The library's information on how a graph was built. */
interface Built {
  builder?: { channels?: Fields };
  channels: Fields;
}

/**
 * The JSON Schemas of a graph that was declared with schemas. For a state that is declared by types only, which don't
 * exist at run time, the schema has the names of the fields and the lists of messages.
 */
export function schemasOf(library: Library, graph: CompiledGraph): GraphSchemas {
  const permissive = channelSchema(library, graph);
  const read = (schema: (() => unknown) | undefined, otherwise: Fields): Fields => {
    try {
      return (schema?.() as Fields | undefined) ?? otherwise;
    } catch {
      // JSON Schema can't express this schema.
      return otherwise;
    }
  };
  const { schemas } = library;
  const names = contextNames((graph as unknown as Built).builder);
  const none = { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
  const config = read(schemas && (() => schemas.getConfigTypeSchema(graph)), none);
  return {
    input_schema: read(schemas && (() => schemas.getInputTypeSchema(graph)), permissive),
    output_schema: read(schemas && (() => schemas.getOutputTypeSchema(graph)), permissive),
    state_schema: read(schemas && (() => schemas.getStateTypeSchema(graph)), permissive),
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

function channelSchema(library: Library, graph: CompiledGraph): Fields {
  const channels = (graph as unknown as Built).builder?.channels ?? (graph as unknown as Built).channels;
  const fields = Object.entries(channels).filter(([name]) => !name.startsWith("__") && !name.startsWith("branch:"));
  const properties = fields.map(([name, channel]) => [name, takesMessages(library, channel) ? messageList : {}]);
  return { type: "object", title: graph.getName(), properties: Object.fromEntries(properties) };
}

const messageList = {
  type: "array",
  items: {
    type: "object",
    properties: { type: { type: "string" }, content: {}, id: { type: "string" } },
    required: ["type", "content"],
  },
};

function takesMessages({ addMessages }: Library, channel: unknown): boolean {
  return typeof channel === "object" && channel !== null && "operator" in channel && channel.operator === addMessages;
}
