import type {
  Execution,
  Fields,
  Interrupt,
  StateChange,
  StoredCheckpoint,
  StoredItem,
  StoredWrite,
} from "../agent-server/engine/contract.ts";

/** What a thread is to load. */
export interface LoadParams {
  folder: string;
  graphs: { id: string; module: string; exportName: string }[];
  /** Environment variables to set before. */
  env: Record<string, string>;
}

/** Names what a call may read and write, for as long as it lasts: the checkpoints of a thread, the store, a stream. */
export type ScopeId = number;

/** What of a run is plain data, and so can be sent to a thread. */
type ExecutionData = Omit<
  Execution,
  "checkpoints" | "signal" | "store" | "publish" | "beginAttempt" | "sleep" | "now" | "uuid"
>;

/** Runs a graph. */
export interface ExecuteParams extends ExecutionData {
  scope: ScopeId;
  graphId: string;
  keepsState: boolean;
}

export interface ExecuteResult {
  /** JSON. */
  values: string;
  interrupts?: Interrupt[];
}

export interface StatesParams {
  scope: ScopeId;
  graphId: string;
  threadId: string;
  at: readonly { namespace: string; id?: string | undefined }[];
  subgraphs: boolean;
}

export interface UpdateParams {
  scope: ScopeId;
  graphId: string;
  threadId: string;
  from: { namespace: string; id: string } | undefined;
  supersteps: readonly (readonly StateChange[])[];
  metadata: Fields;
  configurable: Fields;
}

export interface DrawParams {
  graphId: string;
  depth: number;
}

export interface SubgraphsParams {
  graphId: string;
  recurse: boolean;
}

/** Asks for a checkpoint and what was done after it; without an id, for the newest of the namespace. */
export interface CheckpointGetParams {
  scope: ScopeId;
  namespace: string;
  id: string | undefined;
}

export interface CheckpointListParams {
  scope: ScopeId;
  namespace: string | undefined;
  /** Only those before this one. */
  before: string | undefined;
  limit: number | undefined;
  /** Metadata to have. */
  filter: Fields | undefined;
}

export interface FoundCheckpoint {
  checkpoint: StoredCheckpoint;
  writes: StoredWrite[];
}

export interface CheckpointPutNotice {
  scope: ScopeId;
  checkpoint: StoredCheckpoint;
}

export interface WritesPutNotice {
  scope: ScopeId;
  writes: StoredWrite[];
}

/** An operation on the key-value store, named as in the library. */
export type StoreOperation =
  | { kind: "get"; namespace: string[]; key: string }
  | { kind: "put"; namespace: string[]; key: string; value: Fields | null }
  | { kind: "search"; prefix: string[]; filter?: Fields; limit?: number; offset?: number; query?: string }
  | { kind: "list"; prefix?: string[]; suffix?: string[]; maxDepth?: number; limit: number; offset: number };

export interface StoreParams {
  scope: ScopeId;
  operations: StoreOperation[];
}

export type StoreResult = StoredItem | (StoredItem & { score: number | null })[] | string[][] | null;

/** Events for a stream: mode, name and JSON data of each, one after another. */
export interface EventsNotice {
  scope: ScopeId;
  events: string[];
  /** How many characters of data they have. */
  size: number;
}

/** Says that events have been taken. */
export interface TakenNotice {
  scope: ScopeId;
  size: number;
}
