import type { CheckpointStore, Execution, Fields, Interrupt, StoredCheckpoint } from "./contract.ts";
import type { StreamMode } from "./stream-mode.ts";

/**
 * One execution of a node after a checkpoint, finished or not. Stored in checkpoints, so its fields can't be renamed.
 */
export interface Task {
  id: string;
  name: string;
  path: (string | number)[];
  triggers: string[];
  /** The input that the task was sent instead of the state. */
  input?: { value: unknown };
  error: string | null;
  interrupts: Interrupt[];
  /** Its interrupts so far and their answers, in order. */
  asked: Interrupt[];
  answers: unknown[];
  /** The returned update; absent until the task has finished. */
  result?: Fields | null;
  /** Whether the node is a subgraph, with checkpoints in its own namespace. */
  isSubgraph: boolean;
}

/** The content of a scripted graph's checkpoint. Stored, so its fields can't be renamed. */
interface CheckpointContent {
  source: "input" | "loop" | "update" | "fork";
  step: number;
  values: Fields;
  /** The next tasks. */
  tasks: Task[];
}

/** The state of a scripted graph between two steps. */
export interface Checkpoint extends Omit<StoredCheckpoint, "content">, CheckpointContent {}

/**
 * The events that a running graph emits. `messages` carries a {@link StreamedMessage}. Only the streaming protocol has
 * `envelopes`, which name the checkpoint of the state that follows, and `questions`, the interrupts of a task.
 */
export type EngineMode = Exclude<StreamMode, "messages-tuple"> | "envelopes" | "questions";

/** The checkpoints of one thread. */
export interface Checkpoints {
  put(checkpoint: Checkpoint): Promise<void>;
  /** The newest of the namespace, or the one with this id. */
  get(namespace: string, id?: string): Promise<Checkpoint | undefined>;
  /** The checkpoints of the namespace, newest first. */
  list(namespace: string): Promise<Checkpoint[]>;
}

/** The arguments of a run of a scripted graph. */
export interface ScriptedExecution extends Omit<Execution, "checkpoints" | "recursionLimit"> {
  /** The checkpoint to continue from; absent on a new thread. */
  from: Checkpoint | undefined;
  recursionLimit: number;
  checkpoints: Checkpoints | undefined;
  /** Emits an event, from inside of `node` if given; those of modes that no client requested are dropped. */
  emit(mode: EngineMode, namespace: readonly string[], data: unknown, node?: string): void;
}

/** The checkpoints in a store, as scripted graphs read and write them. */
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
