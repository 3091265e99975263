import { parse, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError } from "../../../core/client/errors.ts";
import { messages } from "../../agent-server/engine/channels.ts";
import { checkGraph, type NodeFunction, type ScriptedGraph } from "../../agent-server/engine/scripted-graph.ts";

/**
 * The scripted graphs that a module exports. A function becomes a graph with one node, named after the export or, for a
 * default export, after the file.
 * @throws {ConfigError} for a module that doesn't load or exports anything else.
 */
export async function graphsOfModule(path: string): Promise<ScriptedGraph[]> {
  const { registerModuleHooks } = await import("../../worker/load/module-hooks.ts");
  registerModuleHooks();
  let exported: Record<string, unknown>;
  try {
    exported = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw new ConfigError(`${path} doesn't load: ${String(cause)}`, { path, cause });
  }
  // Imports of CommonJS modules repeat all exports under these names.
  const names = Object.keys(exported).filter((name) => name !== "default" && name !== "module.exports");
  const graphs = names.map((name) => graphOf(path, name, exported[name]));
  if (names.length === 0 && exported.default !== undefined) {
    graphs.push(graphOf(path, parse(path).name, exported.default));
  }
  if (graphs.length === 0) throw new ConfigError(`${path} exports no graphs.`, { path });
  return graphs;
}

function graphOf(path: string, name: string, value: unknown): ScriptedGraph {
  if (typeof value === "function") return oneNodeGraph(name, value as NodeFunction);
  if (!isScriptedGraph(value)) {
    const what = "a graph (an object with id, channels, nodes and edges) or a function of the state";
    throw new ConfigError(`${path} exports ${name}, which isn't ${what}.`, { path });
  }
  try {
    checkGraph(value);
  } catch (cause) {
    throw new ConfigError(`${path} exports ${name}, which can't run: ${(cause as Error).message}`, { path, cause });
  }
  return value;
}

function oneNodeGraph(id: string, run: NodeFunction): ScriptedGraph {
  return { id, channels: { messages: messages() }, nodes: { run }, edges: { __start__: "run" } };
}

function isScriptedGraph(value: unknown): value is ScriptedGraph {
  const { id, channels, nodes, edges } = (value ?? {}) as Partial<ScriptedGraph>;
  return typeof id === "string" && [channels, nodes, edges].every((part) => typeof part === "object" && part !== null);
}
