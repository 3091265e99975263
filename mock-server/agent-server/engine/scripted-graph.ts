import type { Channels } from "./channels.ts";
import type { Command, Destination, Fields } from "./contract.ts";
import type { Message } from "./messages.ts";

/** What a node can do besides returning an update. */
export interface NodeContext {
  readonly name: string;
  readonly config: Fields;
  readonly context: Fields;
  readonly runId: string;
  readonly threadId: string;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly store: ScriptedStore;
  /** Sends data in the stream mode `custom`. */
  write(data: unknown): void;
  /**
   * Streams a reply token by token, as a chat model does, and returns the whole message. Waits `pauseMs` (default 0)
   * before each token.
   */
  say(tokens: readonly string[], options?: { tags?: string[]; pauseMs?: number }): Promise<Message>;
  /** Runs a tool and returns its result as a message. */
  callTool(call: ToolCall, tool: (args: Fields) => unknown): Promise<Message>;
  /** Interrupts the run; returns the answer once the run is resumed. */
  interrupt(value: unknown): unknown;
  /** Waits, by the server's clock. Rejects when the run is cancelled. */
  sleep(ms: number): Promise<void>;
  uuid(): string;
}

/** The key-value store, as scripted nodes use it. */
export interface ScriptedStore {
  get(namespace: string[], key: string): Promise<Fields | null>;
  put(namespace: string[], key: string, value: Fields): Promise<void>;
}

export interface ToolCall {
  id: string;
  name: string;
  args: Fields;
}

/** A node's update together with the nodes to continue with. */
export class NodeCommand {
  readonly update: Fields | undefined;
  readonly goto: readonly Destination[];

  constructor(command: Omit<Command, "resume"> & { update?: Fields }) {
    this.update = command.update;
    this.goto = command.goto === undefined ? [] : ([command.goto].flat() as Destination[]);
  }
}

/** A value that a generator node may yield: data for the stream mode `custom`, or a token of its reply. */
export type NodeEmission = { custom: unknown } | { token: string };

export type NodeResult = Fields | NodeCommand | undefined;

/**
 * A function of the state that returns an update, or an async generator that yields events and then returns an update;
 * without one, its tokens form the reply.
 */
export type NodeFunction = (
  state: Fields,
  node: NodeContext,
) => NodeResult | Promise<NodeResult> | AsyncGenerator<NodeEmission, NodeResult, void>;

export const start = "__start__";
export const end = "__end__";

/** The successors of a node: fixed ones, or those that a function of the state picks among `targets`. */
export type Edge =
  | string
  | readonly string[]
  | { pick: (state: Fields) => Destination | Destination[]; targets: string[] };

/** A graph declared in code, without a library. Deterministic and cheap to run. */
export interface ScriptedGraph {
  id: string;
  description?: string;
  channels: Channels;
  nodes: Record<string, NodeFunction | { graph: ScriptedGraph }>;
  /** Edges by source node; `__start__` needs one. */
  edges: Record<string, Edge>;
  /** JSON Schema of the context. */
  context?: Fields;
}

/** @throws {TypeError} for an edge from or to an unknown node. */
export function checkGraph(graph: ScriptedGraph): void {
  const isNode = (name: string) => Object.hasOwn(graph.nodes, name);
  if (!Object.hasOwn(graph.edges, start)) throw new TypeError(`Graph "${graph.id}" has no edge from ${start}.`);
  for (const [source, edge] of Object.entries(graph.edges)) {
    if (source !== start && !isNode(source)) throw new TypeError(`Graph "${graph.id}" has no node "${source}".`);
    for (const target of targetsOf(edge)) {
      if (target !== end && !isNode(target)) throw new TypeError(`Graph "${graph.id}" has no node "${target}".`);
    }
  }
  for (const node of Object.values(graph.nodes)) if (typeof node !== "function") checkGraph(node.graph);
}

export function targetsOf(edge: Edge): readonly string[] {
  if (typeof edge === "string") return [edge];
  return "pick" in edge ? edge.targets : edge;
}

export function isConditional(edge: Edge): boolean {
  return typeof edge !== "string" && "pick" in edge;
}

/** The successors along an edge, given the state. */
export function follow(edge: Edge | undefined, state: Fields): Destination[] {
  if (edge === undefined) return [];
  if (typeof edge === "string") return [edge];
  return "pick" in edge ? ([edge.pick(state)].flat() as Destination[]) : [...edge];
}
