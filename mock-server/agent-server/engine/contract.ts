import type { AuthUser } from "../auth/auth-user.ts";
import type { StreamMode } from "./stream-mode.ts";

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** What a graph waits for an answer to. */
export interface Interrupt {
  /** 32 hexadecimal digits; absent where the graph asks by an error. */
  id?: string;
  value?: unknown;
}

/** Where to go instead of along the edges. */
export type Destination = string | { node: string; input: unknown };

/** What a run is started with in place of an input. */
export interface Command {
  update?: unknown;
  resume?: unknown;
  goto?: Destination | Destination[];
}

/** A command as clients send it, where `null` stands for what is left out. */
export function commandOf(
  sent: { update?: unknown; resume?: unknown; goto?: unknown } | null | undefined,
): Command | null {
  if (!sent) return null;
  const { goto, ...rest } = sent;
  return (goto === null || goto === undefined ? rest : { ...rest, goto }) as Command;
}

/** The state of a graph between two steps, as it is kept. */
export interface StoredCheckpoint {
  /** A version 6 UUID: later ones are greater. */
  id: string;
  parentId: string | null;
  /** Empty for the graph itself, else the path of tasks to the subgraph: `child:<task id>|…`. */
  namespace: string;
  metadata: Fields;
  createdAt: string;
  /** The run that made it. */
  runId: string | null;
  /** What only the engine that made it reads: plain data and bytes. */
  content: unknown;
}

/** Something that a task has done after a checkpoint, before the next one is made of it. */
export interface StoredWrite {
  namespace: string;
  checkpointId: string;
  taskId: string;
  taskPath: string;
  /** Negative for marks such as errors and interrupts, of which a task has one of a kind. */
  index: number;
  channel: string;
  runId: string | null;
  /** What only the engine that made it reads: plain data and bytes. */
  content: unknown;
}

/** Where the checkpoints of one thread are kept, and what was done after each. */
export interface CheckpointStore {
  /** The checkpoint with an id, or the newest of a namespace. */
  get(namespace: string, id?: string): Promise<StoredCheckpoint | undefined>;
  /** Those of a namespace, or of all, the newest first. */
  list(namespace?: string): Promise<StoredCheckpoint[]>;
  put(checkpoint: StoredCheckpoint): Promise<void>;
  writes(namespace: string, checkpointId: string): Promise<StoredWrite[]>;
  /** Marks replace the task's earlier ones; other writes stay as they were first put. */
  putWrites(writes: readonly StoredWrite[]): Promise<void>;
}

/** An item of the key-value store. Times are ISO 8601. */
export interface StoredItem {
  namespace: string[];
  key: string;
  value: Fields;
  created_at: string;
  updated_at: string;
}

/** The key-value store, as nodes see it. */
export interface NodeStore {
  get(namespace: string[], key: string): Promise<StoredItem | null>;
  put(namespace: string[], key: string, value: Fields): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
  search(
    prefix: string[],
    options?: { filter?: Fields; limit?: number; offset?: number; query?: string },
  ): Promise<(StoredItem & { score: number | null })[]>;
  listNamespaces(options: {
    prefix?: string[];
    suffix?: string[];
    maxDepth?: number;
    limit: number;
    offset: number;
  }): Promise<string[][]>;
}

/** What a graph is made for, where a function makes it. */
export interface GraphSettings {
  config: Fields;
  context: Fields;
}

/** Everything that a run of a graph is given. */
export interface Execution extends GraphSettings {
  /** `null` goes on where the last run ended. */
  input: unknown;
  command: Command | null;
  /** Where to begin, if not at the thread's last checkpoint. */
  checkpointId: string | undefined;
  runId: string;
  threadId: string;
  /** Whose run it is, where auth handlers say so. */
  user: AuthUser | null;
  /** Kept with every checkpoint and sent with every message. */
  metadata: Fields;
  interruptBefore: "*" | readonly string[];
  interruptAfter: "*" | readonly string[];
  /** Most steps of the run; absent: as many as the graph says, or 25. */
  recursionLimit: number | undefined;
  durability: "sync" | "async" | "exit";
  streamModes: readonly StreamMode[];
  /** Whether what graphs within the graph tell is streamed too, with their namespaces. */
  streamSubgraphs: boolean;
  /** Absent for runs that leave nothing behind; then nothing can be interrupted and resumed. */
  checkpoints: CheckpointStore | undefined;
  signal: AbortSignal;
  store: NodeStore;
  /** Streams an event; `data` is JSON. */
  publish(mode: StreamMode, event: string, data: string): void;
  /** Says that the run begins anew from its last checkpoint; the first attempt isn't said. */
  beginAttempt(attempt: number): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
}

/** How a run of a graph has ended, unless it has thrown. */
export interface Outcome {
  values: Fields;
  /** Absent when the graph came to its end; empty when it stopped before or after a node, as it was told to. */
  interrupts?: Interrupt[];
}

export interface GraphSchemas {
  input_schema: Fields;
  output_schema: Fields;
  state_schema: Fields;
  config_schema: Fields;
  context_schema: Fields;
}

/** A graph as nodes and edges. */
export interface Drawing {
  nodes: { id: string; type: string; data: unknown; metadata?: Fields }[];
  edges: { source: string; target: string; conditional?: boolean; data?: string }[];
}

/** How clients refer to a checkpoint. */
export interface CheckpointReference {
  thread_id: string;
  /** Empty in the state of a graph within the thread's that hasn't begun. */
  checkpoint_id: string;
  checkpoint_ns: string;
  checkpoint_map: Fields | null;
}

/** A state of a thread, as it is sent. */
export interface StateSnapshot {
  values: Fields;
  next: string[];
  tasks: TaskSnapshot[];
  metadata: Fields;
  created_at: string | null;
  checkpoint: CheckpointReference | null;
  parent_checkpoint: CheckpointReference | null;
  interrupts: Interrupt[];
}

/** One node that is to run, or has run, after a checkpoint, as it is sent. */
export interface TaskSnapshot {
  id: string;
  name: string;
  error: string | null;
  interrupts: Interrupt[];
  /** The library's own: names, indexes, and whether another task called it. */
  path: unknown[];
  /** Where the states of the task's own graph are, if it is one. */
  checkpoint: Fields | null;
  state: StateSnapshot | null;
  result: unknown;
}

/** Which states to read. */
export interface StateQuery {
  threadId: string;
  settings: GraphSettings;
  checkpoints: CheckpointStore;
  /** By namespace and id; without an id, the newest of the namespace with what was done since. All of them exist. */
  at: readonly { namespace: string; id?: string | undefined }[];
  /** Whether to read the states of subgraphs that are under way as well. */
  subgraphs: boolean;
}

/** What a node is taken to have done. */
export interface StateChange {
  values: unknown;
  asNode: string | undefined;
  command?: Command | null;
}

/** A change of a thread's state from outside: steps one after another, each of changes that count as made side by side. */
export interface StateUpdate {
  threadId: string;
  settings: GraphSettings;
  checkpoints: CheckpointStore;
  /** The checkpoint to go on from; absent: the thread's last one. */
  from: { namespace: string; id: string } | undefined;
  supersteps: readonly (readonly StateChange[])[];
  metadata: Fields;
  configurable: Fields;
  now(): number;
  uuid(): string;
}

/** One graph of an agent server, whatever executes it. What isn't a run throws {GraphError} where no graph can be made for the settings. */
export interface Graph {
  readonly id: string;
  readonly description: string | null;
  /** What its default assistant is made with. */
  readonly defaults: GraphSettings;
  /** Checkpoints are read by the engine that made them. */
  readonly engine: "scripted" | "compiled";
  /** `depth` is how many levels of subgraphs are drawn in place of their nodes. */
  draw(depth: number, settings: GraphSettings): Promise<Drawing>;
  schemas(settings: GraphSettings): Promise<GraphSchemas>;
  /** By path, its parts separated by `|`. */
  subgraphs(recurse: boolean, settings: GraphSettings): Promise<Record<string, GraphSchemas>>;
  /** @throws what a node throws; the signal's reason when it is aborted. */
  execute(execution: Execution): Promise<Outcome>;
  /** The states in the order of the query. */
  states(query: StateQuery): Promise<StateSnapshot[]>;
  /** The checkpoint that follows from the update. @throws {GraphError} for an unknown node or values that don't fit. */
  update(update: StateUpdate): Promise<{ namespace: string; id: string }>;
}

/** A mistake in how a graph is used. `name` is what clients are told as `error`. */
export class GraphError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
