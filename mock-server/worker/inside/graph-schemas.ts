import type { Fields, GraphSchemas } from "../../agent-server/engine/contract.ts";
import { contextNames } from "./context-types.ts";
import type { CompiledGraph } from "./graph-export.ts";
import type { Library } from "./library.ts";

/** What the library keeps about how a graph was built. */
interface Built {
  builder?: { channels?: Fields };
  channels: Fields;
}

/**
 * The JSON Schemas of a graph, where it was declared with such. Of a state that is only declared as types, which are gone when it runs, the names of the
 * fields are known, and that lists of messages are lists.
 */
export function schemasOf(library: Library, graph: CompiledGraph): GraphSchemas {
  const permissive = channelSchema(library, graph);
  const read = (schema: (() => unknown) | undefined, otherwise: Fields): Fields => {
    try {
      return (schema?.() as Fields | undefined) ?? otherwise;
    } catch {
      // A schema of a library that JSON Schema can't express.
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

/** The schemas of a graph's subgraphs by the path to them. */
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
