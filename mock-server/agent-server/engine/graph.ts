/** A JSON object. */
export type Fields = Record<string, unknown>;

/** What a graph waits for an answer to. */
export interface Interrupt {
  /** 32 hexadecimal digits. */
  id: string;
  value: unknown;
}

/** One node that is to run, or has run, after a checkpoint. */
export interface Task {
  id: string;
  name: string;
  path: (string | number)[];
  triggers: string[];
  /** Present for a node that was sent an input of its own, in place of the state. */
  input?: { value: unknown };
  error: string | null;
  interrupts: Interrupt[];
  /** What it has asked so far, and the answers, in order. */
  asked: Interrupt[];
  answers: unknown[];
  /** What it returned; absent while it hasn't. */
  result?: Fields | null;
  /** Whether it is a graph of its own, with checkpoints in a namespace of its own. */
  isSubgraph: boolean;
}

/** The state of a graph between two steps. */
export interface Checkpoint {
  /** A version 6 UUID: later ones are greater. */
  id: string;
  parentId: string | null;
  /** Empty for the graph itself, else the path of tasks to the subgraph: `child:<task id>|…`. */
  namespace: string;
  source: "input" | "loop" | "update" | "fork";
  step: number;
  values: Fields;
  /** What runs next. */
  tasks: Task[];
  metadata: Fields;
  createdAt: string;
  runId: string | null;
}

/** Where to go instead of along the edges. */
export type Destination = string | { node: string; input: unknown };

/** What a run is started with in place of an input. */
export interface Command {
  update?: unknown;
  resume?: unknown;
  goto?: Destination | Destination[];
}

/** What a graph tells while it runs. `messages` carries a chunk or a whole message, and what is known of it. */
export type EngineMode =
  | "values"
  | "updates"
  | "messages"
  | "custom"
  | "debug"
  | "tasks"
  | "checkpoints"
  | "events"
  | "tools";

/** Where the checkpoints of one thread are kept. */
export interface Checkpoints {
  put(checkpoint: Checkpoint): Promise<void>;
  latest(namespace: string): Promise<Checkpoint | undefined>;
}

/** The key-value store, as nodes see it. */
export interface NodeStore {
  get(namespace: string[], key: string): Promise<Fields | null>;
  put(namespace: string[], key: string, value: Fields): Promise<void>;
}

/** Everything that a run of a graph is given. */
export interface Execution {
  /** `null` goes on where the last run ended. */
  input: unknown;
  command: Command | null;
  /** Where to begin; absent on a thread that nothing has run on. */
  from: Checkpoint | undefined;
  runId: string;
  threadId: string;
  config: Fields;
  context: Fields;
  /** Kept with every checkpoint and sent with every message. */
  metadata: Fields;
  interruptBefore: "*" | readonly string[];
  interruptAfter: "*" | readonly string[];
  /** Most steps of the run. */
  recursionLimit: number;
  /** What is worth telling. */
  modes: ReadonlySet<EngineMode>;
  /** Absent for runs that leave nothing behind; then nothing can be interrupted and resumed. */
  checkpoints: Checkpoints | undefined;
  signal: AbortSignal;
  store: NodeStore;
  emit(mode: EngineMode, namespace: readonly string[], data: unknown): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
}

/** How a run of a graph has ended, unless it has thrown. */
export interface Outcome {
  values: Fields;
  /** Absent when the graph came to its end. */
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
  nodes: { id: string; type: string; data: Fields; metadata?: Fields }[];
  edges: { source: string; target: string; conditional: boolean; data?: string }[];
}

/** A change of a thread's state from outside. */
export interface StateUpdate {
  from: Checkpoint | undefined;
  values: unknown;
  asNode: string | undefined;
  metadata: Fields;
  runId: string | null;
  now(): number;
  uuid(): string;
}

/** One graph of an agent server, whatever executes it. */
export interface Graph {
  readonly id: string;
  readonly description: string | null;
  /** `depth` is how many levels of subgraphs are drawn in place of their nodes. */
  draw(depth: number): Promise<Drawing>;
  schemas(): Promise<GraphSchemas>;
  /** By path, its parts separated by `|`. */
  subgraphs(recurse: boolean): Promise<Record<string, GraphSchemas>>;
  /** @throws what a node throws; the signal's reason when it is aborted. */
  execute(execution: Execution): Promise<Outcome>;
  /** The checkpoint that follows from the update. @throws {GraphError} for an unknown node or values that don't fit. */
  update(update: StateUpdate): Promise<Checkpoint>;
}

/** A mistake in how a graph is used. `name` is what clients are told as `error`. */
export class GraphError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
