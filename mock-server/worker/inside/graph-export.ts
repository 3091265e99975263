import type { Pregel } from "@langchain/langgraph";
import type { Fields } from "../../agent-server/engine/contract.ts";
import type { ModuleExport } from "../load/graph-config.ts";
import { loadExport } from "../load/load-export.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";

// biome-ignore lint/suspicious/noExplicitAny: the user's graph may have any nodes, channels and types
export type CompiledGraph = Pregel<any, any, any>;

/** The second argument of functions that make graphs. */
export interface GraphRuntime {
  context?: unknown;
  store?: unknown;
  signal?: AbortSignal;
}

/** Makes a user's graph for each use. */
export type GraphMaker = (config: Fields, runtime: GraphRuntime) => Promise<CompiledGraph>;

/**
 * Loads a graph: one that is compiled, a builder, or a function of config and runtime that makes either.
 * @throws {ProjectLoadError} for a module that doesn't load, or an export that is something else.
 */
export async function loadGraph({ module, exportName }: ModuleExport): Promise<GraphMaker> {
  const value = await loadExport({ module, exportName });
  const place = `${exportName} of ${module}`;
  if (typeof value === "function") {
    return async (config, runtime) => copyOf(compiled(await value(config, runtime), `What ${place} returns`));
  }
  const graph = compiled(value, place);
  return async () => copyOf(graph);
}

/** A copy of a graph for one use, with its own checkpointer and store. */
function copyOf(graph: CompiledGraph): CompiledGraph {
  return graph.withConfig({}) as CompiledGraph;
}

function compiled(value: unknown, place: string): CompiledGraph {
  if (typeof value === "object" && value !== null) {
    // Agents of the langchain package wrap a graph.
    const inner = "graph" in value ? value.graph : undefined;
    if (isCompiled(inner)) return inner;
    if (isCompiled(value)) return value;
    if ("compile" in value && typeof value.compile === "function") {
      const graph: unknown = value.compile();
      if (isCompiled(graph)) return graph;
    }
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `of type ${typeof value}`;
  throw new ProjectLoadError(
    `${place} is ${kind}, but must be a graph, a builder of one, or a function that makes one.`,
  );
}

function isCompiled(value: unknown): value is CompiledGraph {
  return typeof value === "object" && value !== null && "lg_is_pregel" in value && value.lg_is_pregel === true;
}
