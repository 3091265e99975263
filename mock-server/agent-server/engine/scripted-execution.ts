import type { CheckpointStore, Execution, Fields, Interrupt, StoredCheckpoint } from "./contract.ts";
import type { StreamMode } from "./stream-mode.ts";

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

/** What a scripted graph's checkpoint holds. */
interface CheckpointContent {
  source: "input" | "loop" | "update" | "fork";
  step: number;
  values: Fields;
  /** What runs next. */
  tasks: Task[];
}

/** The state of a scripted graph between two steps. */
export interface Checkpoint extends Omit<StoredCheckpoint, "content">, CheckpointContent {}

/** What a graph tells while it runs. `messages` carries a chunk or a whole message, and what is known of it. */
export type EngineMode = Exclude<StreamMode, "messages-tuple">;

/** Where the checkpoints of one thread are kept. */
export interface Checkpoints {
  put(checkpoint: Checkpoint): Promise<void>;
  /** The newest of a namespace, or the one with an id. */
  get(namespace: string, id?: string): Promise<Checkpoint | undefined>;
  /** Those of a namespace, the newest first. */
  list(namespace: string): Promise<Checkpoint[]>;
}

/** Everything that a run of a scripted graph is given. */
export interface ScriptedExecution extends Omit<Execution, "checkpoints" | "recursionLimit"> {
  /** Where to begin; absent on a thread that nothing has run on. */
  from: Checkpoint | undefined;
  recursionLimit: number;
  checkpoints: Checkpoints | undefined;
  /** What nobody asked for is dropped. */
  emit(mode: EngineMode, namespace: readonly string[], data: unknown): void;
}

/** A thread's store of checkpoints, as scripted graphs read and write them. */
export function scriptedCheckpoints(store: CheckpointStore): Checkpoints {
  const read = ({ content, ...rest }: StoredCheckpoint) => ({ ...rest, ...(content as CheckpointContent) });
  return {
    put: ({ source, step, values, tasks, ...rest }) =>
      store.put({ ...rest, content: { source, step, values, tasks } satisfies CheckpointContent }),
    async get(namespace, id) {
      const stored = await store.get(namespace, id);
      return stored && read(stored);
    },
    list: async (namespace) => (await store.list(namespace)).map(read),
  };
}
