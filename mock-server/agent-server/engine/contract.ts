import type { AuthUser } from "../auth/auth-user.ts";
import type { StreamMode } from "./stream-mode.ts";

/** A JSON object. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A question of a graph that waits for an answer. */
export interface Interrupt {
  /** 32 hexadecimal digits; absent where the graph interrupts by throwing an error. */
  id?: string;
  value?: unknown;
}

/** A node to continue with instead of following the edges, optionally with an input of its own. */
export type Destination = string | { node: string; input: unknown };

/** Starts a run instead of an input. */
export interface Command {
  update?: unknown;
  resume?: unknown;
  goto?: Destination | Destination[];
}

/** Reads a command as clients send it, where `null` means absent. */
export function commandOf(
  sent: { update?: unknown; resume?: unknown; goto?: unknown } | null | undefined,
): Command | null {
  if (!sent) return null;
  const { goto, ...rest } = sent;
  return (goto === null || goto === undefined ? rest : { ...rest, goto }) as Command;
}

/** The stored state of a graph between two steps. */
export interface StoredCheckpoint {
  /** A version 6 UUID, so that ids sort by time. */
  id: string;
  parentId: string | null;
  /** Empty for the graph itself, else the path of tasks to the subgraph: `child:<task id>|…`. */
  namespace: string;
  metadata: Fields;
  createdAt: string;
  /** The run that created it; `null` for an update from outside. */
  runId: string | null;
  /** Opaque to all but the engine that wrote it: plain data and bytes. */
  content: unknown;
}

/** A write of a task after a checkpoint, not yet part of the next one. */
export interface StoredWrite {
  namespace: string;
  checkpointId: string;
  taskId: string;
  taskPath: string;
  /** Negative for special writes such as errors and interrupts, of which a task has one of each kind. */
  index: number;
  channel: string;
  runId: string | null;
  /** Opaque to all but the engine that wrote it: plain data and bytes. */
  content: unknown;
}

/** Stores the checkpoints of one thread and the writes after each. */
export interface CheckpointStore {
  /** The checkpoint with this id, or the newest of the namespace. */
  get(namespace: string, id?: string): Promise<StoredCheckpoint | undefined>;
  /** The checkpoints of one namespace, or of all, newest first. */
  list(namespace?: string): Promise<StoredCheckpoint[]>;
  put(checkpoint: StoredCheckpoint): Promise<void>;
  writes(namespace: string, checkpointId: string): Promise<StoredWrite[]>;
  /** Special writes replace earlier ones of the task; other writes keep their first value. */
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

/** The key-value store, as nodes use it. */
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

/** Arguments of a function that makes a graph. */
export interface GraphSettings {
  config: Fields;
  context: Fields;
}

/** The arguments of a run of a graph. */
export interface Execution extends GraphSettings {
  /** `null` continues where the last run ended. */
  input: unknown;
  command: Command | null;
  /** The checkpoint to continue from. Absent: the thread's last one. */
  checkpointId: string | undefined;
  runId: string;
  threadId: string;
  /** The user of the run; `null` without auth handlers. */
  user: AuthUser | null;
  /** Stored with every checkpoint and sent with every message. */
  metadata: Fields;
  interruptBefore: "*" | readonly string[];
  interruptAfter: "*" | readonly string[];
  /** Maximum number of steps. Absent: the graph's own limit, or 25. */
  recursionLimit: number | undefined;
  durability: "sync" | "async" | "exit";
  streamModes: readonly StreamMode[];
  /** Whether to stream the events of subgraphs too, with their namespaces. */
  streamSubgraphs: boolean;
  /** Whether to stream the events of the streaming protocol instead, with those of subgraphs. */
  streamsProtocol: boolean;
  /** Absent for stateless runs, which can't be interrupted and resumed. */
  checkpoints: CheckpointStore | undefined;
  signal: AbortSignal;
  store: NodeStore;
  /** Streams an event; `data` is JSON. Of the streaming protocol, `event` is an `EventHead` as JSON. */
  publish(mode: StreamMode | "protocol", event: string, data: string): void;
  /** Called when the run restarts from its last checkpoint; not for the first attempt. */
  beginAttempt(attempt: number): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
}

/** The outcome of a run that didn't throw. */
export interface Outcome {
  values: Fields;
  /** Absent when the graph finished; empty when it stopped at `interruptBefore` or `interruptAfter`. */
  interrupts?: Interrupt[];
}

export interface GraphSchemas {
  input_schema: Fields;
  output_schema: Fields;
  state_schema: Fields;
  config_schema: Fields;
  context_schema: Fields;
}

/** The nodes and edges of a graph. */
export interface Drawing {
  nodes: { id: string; type: string; data: unknown; metadata?: Fields }[];
  edges: { source: string; target: string; conditional?: boolean; data?: string }[];
}

/** A client's reference to a checkpoint. */
export interface CheckpointReference {
  thread_id: string;
  /** Empty in the state of a subgraph that hasn't started. */
  checkpoint_id: string;
  checkpoint_ns: string;
  checkpoint_map: Fields | null;
}

/** A state of a thread, as clients see it. */
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

/** A task after a checkpoint, finished or not, as clients see it. */
export interface TaskSnapshot {
  id: string;
  name: string;
  error: string | null;
  interrupts: Interrupt[];
  /** The library's path of the task: names, indexes, and whether another task called it. */
  path: unknown[];
  /** Reference to the states of the task's subgraph, if it is one. */
  checkpoint: Fields | null;
  state: StateSnapshot | null;
  result: unknown;
}

/** Selects states to read. */
export interface StateQuery {
  threadId: string;
  settings: GraphSettings;
  checkpoints: CheckpointStore;
  /**
   * By namespace and id; without an id, the newest of the namespace with the writes since. The caller has checked that
   * they exist.
   */
  at: readonly { namespace: string; id?: string | undefined }[];
  /** Whether to include the states of unfinished subgraphs. */
  subgraphs: boolean;
}

/** A change of the state, as if a node had returned it. */
export interface StateChange {
  values: unknown;
  asNode: string | undefined;
  command?: Command | null;
}

/** An update of a thread's state from outside: consecutive steps, each of concurrent changes. */
export interface StateUpdate {
  threadId: string;
  settings: GraphSettings;
  checkpoints: CheckpointStore;
  /** The checkpoint to continue from. Absent: the thread's last one. */
  from: { namespace: string; id: string } | undefined;
  supersteps: readonly (readonly StateChange[])[];
  metadata: Fields;
  configurable: Fields;
  now(): number;
  uuid(): string;
}

/**
 * A graph of an agent server, scripted or compiled. All methods but `execute` throw {GraphError} where no graph can be
 * made for the settings.
 */
export interface Graph {
  readonly id: string;
  readonly description: string | null;
  /** Settings of the graph's default assistant. */
  readonly defaults: GraphSettings;
  /** The engine; only the one that wrote a checkpoint can read it. */
  readonly engine: "scripted" | "compiled";
  /** `depth`: the number of levels of subgraphs to expand. */
  draw(depth: number, settings: GraphSettings): Promise<Drawing>;
  schemas(settings: GraphSettings): Promise<GraphSchemas>;
  /** The names of the fields of the input, which are known sooner than their types. */
  inputFields(settings: GraphSettings): Promise<string[]>;
  /** Schemas by path of node names, joined by `|`. */
  subgraphs(recurse: boolean, settings: GraphSettings): Promise<Record<string, GraphSchemas>>;
  /** @throws what a node throws, or the reason of the aborted signal. */
  execute(execution: Execution): Promise<Outcome>;
  /** The states, in the order of the query. */
  states(query: StateQuery): Promise<StateSnapshot[]>;
  /**
   * Writes a checkpoint with the update.
   * @throws {GraphError} for an unknown node or values that the state can't take.
   */
  update(update: StateUpdate): Promise<{ namespace: string; id: string }>;
}

/** Thrown for a wrong use of a graph. Clients see `name` as `error`. */
export class GraphError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
