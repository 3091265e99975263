import type { Fields } from "../../agent-server/engine/contract.ts";
import type { ProjectGraph } from "../load/graph-config.ts";

/** What a project's types are read from. */
export interface TypedProject {
  folder: string;
  graphs: readonly ProjectGraph[];
}

/** JSON Schemas of the types that a graph is declared with; `undefined` where the types say nothing. */
export interface GraphTypes {
  state: Fields | undefined;
  input: Fields | undefined;
  output: Fields | undefined;
  context: Fields | undefined;
}

/** The types in a project's sources. */
export interface FoundTypes {
  /** By the graph's id. */
  graphs: Record<string, GraphTypes>;
  /** Of graphs that are nodes, by the node's name. Several graphs may have a node of the same name. */
  nodes: Record<string, GraphTypes[]>;
  /** The files that the types were read from, packages excluded, with the times of their last changes. */
  files: [path: string, modifiedMs: number][];
  /** Why types are missing, a sentence each. */
  warnings: string[];
}
