import type { Channels } from "./channels.ts";
import type { Command, Destination, Fields } from "./contract.ts";
import type { Message } from "./messages.ts";

/** What a node may do besides returning an update. */
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
  /** Sends a reply as a chat model would, in `tokens`, and returns it whole. Waits `pauseMs` (default 0) before each. */
  say(tokens: readonly string[], options?: { tags?: string[]; pauseMs?: number }): Promise<Message>;
  /** Runs one tool and returns its answer as a message. */
  callTool(call: ToolCall, tool: (args: Fields) => unknown): Promise<Message>;
  /** Stops the run until it is resumed; then returns the answer. */
  interrupt(value: unknown): unknown;
  /** Waits for milliseconds of the server's clock. */
  sleep(ms: number): Promise<void>;
  uuid(): string;
}

/** The key-value store, as scripted nodes see it. */
export interface ScriptedStore {
  get(namespace: string[], key: string): Promise<Fields | null>;
  put(namespace: string[], key: string, value: Fields): Promise<void>;
}

export interface ToolCall {
  id: string;
  name: string;
  args: Fields;
}

/** A node's update together with where to go. */
export class NodeCommand {
  readonly update: Fields | undefined;
  readonly goto: readonly Destination[];

  constructor(command: Omit<Command, "resume"> & { update?: Fields }) {
    this.update = command.update;
    this.goto = command.goto === undefined ? [] : ([command.goto].flat() as Destination[]);
  }
}

/** What a generator node may yield: data for the stream mode `custom`, or tokens of one reply. */
export type NodeEmission = { custom: unknown } | { token: string };

export type NodeResult = Fields | NodeCommand | undefined;

/** A function of the state that returns an update, or an async generator that yields events and then returns one; without one, its tokens are the reply. */
export type NodeFunction = (
  state: Fields,
  node: NodeContext,
) => NodeResult | Promise<NodeResult> | AsyncGenerator<NodeEmission, NodeResult, void>;

export const start = "__start__";
export const end = "__end__";

/** Where a node leads: always to the same ones, or to what a function of the state picks among `targets`. */
export type Edge =
  | string
  | readonly string[]
  | { pick: (state: Fields) => Destination | Destination[]; targets: string[] };

/** A graph declared in code, without a library: deterministic, and cheap to run. */
export interface ScriptedGraph {
  id: string;
  description?: string;
  channels: Channels;
  nodes: Record<string, NodeFunction | { graph: ScriptedGraph }>;
  /** By the node that they leave; `__start__` has one too. */
  edges: Record<string, Edge>;
  /** JSON Schema of the context. */
  context?: Fields;
}

/** @throws {TypeError} when an edge leads to or from a node that there isn't. */
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

/** Where an edge leads in a state. */
export function follow(edge: Edge | undefined, state: Fields): Destination[] {
  if (edge === undefined) return [];
  if (typeof edge === "string") return [edge];
  return "pick" in edge ? ([edge.pick(state)].flat() as Destination[]) : [...edge];
}
