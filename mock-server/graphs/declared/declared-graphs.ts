import { appended, type Channel, type Channels, lastValue, messages } from "../../agent-server/engine/channels.ts";
import { type ScriptedGraph, start } from "../../agent-server/engine/scripted-graph.ts";
import type { Problem } from "../../worker/load/config-problems.ts";
import { declaredEdge, nodeName } from "./declared-edge.ts";
import { declaredNode } from "./declared-node.ts";
import type { GraphDeclaration, GraphDeclarations, NodeDeclaration } from "./graph-declaration.ts";
import { problemsIn } from "./references.ts";

/** Scripted graphs, or the problems of their declarations. */
export type Declared = { graphs: ScriptedGraph[] } | { problems: Problem[] };

/** Makes graphs from declarations, which may run each other and the `others`. */
export function declaredGraphs(declarations: GraphDeclarations, others: readonly ScriptedGraph[]): Declared {
  const problems = problemsIn(declarations, new Set(others.map(({ id }) => id)));
  if (problems.length > 0) return { problems };
  const made = new Map<string, ScriptedGraph>();
  const find = (id: string): ScriptedGraph => {
    const declaration = Object.hasOwn(declarations, id) ? declarations[id] : undefined;
    if (!declaration) return others.find((graph) => graph.id === id) as ScriptedGraph;
    const graph = made.get(id) ?? declaredGraph(id, declaration, find);
    made.set(id, graph);
    return graph;
  };
  return { graphs: Object.keys(declarations).map(find) };
}

function declaredGraph(
  id: string,
  { description, state = {}, start: first, nodes }: GraphDeclaration,
  find: (id: string) => ScriptedGraph,
): ScriptedGraph {
  const names = Object.keys(nodes);
  const channels: Channels = { messages: messages() };
  for (const [name, channel] of Object.entries(state)) channels[name] = declaredChannel(channel);
  return {
    id,
    ...(description === undefined ? {} : { description }),
    channels,
    nodes: Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, nodeOf(node, find)])),
    edges: {
      [start]: nodeName(first ?? (names[0] as string)),
      ...Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, declaredEdge(node)])),
    },
  };
}

function nodeOf({ graph, steps = [] }: NodeDeclaration, find: (id: string) => ScriptedGraph) {
  return graph === undefined ? declaredNode(steps) : { graph: find(graph) };
}

function declaredChannel(declared: NonNullable<GraphDeclaration["state"]>[string]): Channel {
  const { kind, initial, schema } =
    typeof declared === "string" ? { kind: declared, initial: undefined, schema: undefined } : declared;
  const channel = { last: () => lastValue(null), append: () => appended(), messages: () => messages() }[kind]();
  return {
    ...channel,
    ...(initial === undefined ? {} : { initial }),
    ...(schema === undefined ? {} : { schema }),
  };
}
