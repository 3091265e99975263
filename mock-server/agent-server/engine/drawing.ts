import type { Drawing, Fields, GraphSchemas } from "./contract.ts";
import { end, isConditional, type ScriptedGraph, start, targetsOf } from "./scripted-graph.ts";

/** Draws a graph with `depth` levels of subgraphs expanded. */
export function draw(graph: ScriptedGraph, depth: number): Drawing {
  const inner = expanded(graph, depth, "");
  return {
    nodes: [terminal(start), ...inner.nodes, terminal(end)],
    edges: inner.edges,
  };
}

const terminal = (id: string) => ({
  id,
  type: "schema",
  data: { $schema: "https://json-schema.org/draft/2020-12/schema" },
});

function expanded(graph: ScriptedGraph, depth: number, prefix: string): Drawing {
  const drawing: Drawing = { nodes: [], edges: [] };
  const entries = new Map<string, readonly string[]>();
  const exits = new Map<string, readonly string[]>();
  for (const [name, node] of Object.entries(graph.nodes)) {
    const id = prefix + name;
    if (typeof node === "function" || depth < 1) {
      const kind = typeof node === "function" ? ["scripted", "Node"] : ["scripted", "Graph"];
      drawing.nodes.push({ id, type: "runnable", data: { id: kind, name }, metadata: {} });
      entries.set(name, [id]);
      exits.set(name, [id]);
      continue;
    }
    const inner = expanded(node.graph, depth - 1, `${id}:`);
    drawing.nodes.push(...inner.nodes);
    drawing.edges.push(...inner.edges.filter(({ source, target }) => source !== start && target !== end));
    entries.set(
      name,
      inner.edges.filter(({ source }) => source === start).map(({ target }) => target),
    );
    exits.set(
      name,
      inner.edges.filter(({ target }) => target === end).map(({ source }) => source),
    );
  }
  for (const [source, edge] of edgesOf(graph)) {
    for (const from of source === start ? [start] : (exits.get(source) ?? [])) {
      for (const target of targetsOf(edge)) {
        for (const to of target === end ? [end] : (entries.get(target) ?? [])) {
          drawing.edges.push({ source: from, target: to, conditional: isConditional(edge) });
        }
      }
    }
  }
  return drawing;
}

/** The edges of a graph, including those to the end from nodes that have none. */
function edgesOf(graph: ScriptedGraph): [string, NonNullable<ScriptedGraph["edges"][string]>][] {
  const last = Object.keys(graph.nodes).filter((name) => !Object.hasOwn(graph.edges, name));
  return [...Object.entries(graph.edges), ...last.map((name): [string, string] => [name, end])];
}

/** The JSON Schemas of a graph. */
export function schemasOf(graph: ScriptedGraph): GraphSchemas {
  const properties = Object.fromEntries(Object.entries(graph.channels).map(([name, { schema }]) => [name, schema]));
  const state: Fields = { type: "object", title: graph.id, properties };
  return {
    input_schema: state,
    output_schema: state,
    state_schema: state,
    config_schema: { type: "object", properties: {} },
    context_schema: graph.context ?? { type: "object", properties: {} },
  };
}

/** The schemas of a graph's subgraphs by path. */
export function subgraphsOf(graph: ScriptedGraph, recurse: boolean, prefix = ""): Record<string, GraphSchemas> {
  const found: Record<string, GraphSchemas> = {};
  for (const [name, node] of Object.entries(graph.nodes)) {
    if (typeof node === "function") continue;
    const path = prefix + name;
    found[path] = schemasOf(node.graph);
    if (recurse) Object.assign(found, subgraphsOf(node.graph, true, `${path}|`));
  }
  return found;
}
