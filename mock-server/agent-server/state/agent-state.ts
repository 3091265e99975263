import type {
  AssistantRecord,
  AssistantVersionRecord,
  CheckpointRecord,
  CronRecord,
  ItemRecord,
  RunRecord,
  ThreadRecord,
  WriteRecord,
} from "./records.ts";

/** Which rows to find, and in what order. */
export interface Query<Row> {
  accept?: (row: Row) => boolean;
  /** Default: the newest first. */
  compare?: (a: Row, b: Row) => number;
  offset?: number;
  limit?: number;
}

/** A page of rows, and how many there are on all pages. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** Rows by id, each in a group. Rows are replaced, never changed in place. */
export interface Table<Row> {
  get(id: string): Promise<Row | undefined>;
  /** Adds or replaces. */
  put(row: Row): Promise<void>;
  /** Whether there was such a row. */
  remove(id: string): Promise<boolean>;
  /** The rows of a group, oldest first. */
  group(name: string): Promise<readonly Row[]>;
  removeGroup(name: string): Promise<void>;
  find(query: Query<Row>): Promise<Page<Row>>;
}

/** All that an agent server remembers, behind calls that may wait, so that it can be kept anywhere. */
export interface AgentState {
  /** By assistant id. */
  assistants: Table<AssistantRecord>;
  /** In groups by assistant id. */
  versions: Table<AssistantVersionRecord>;
  /** By thread id. */
  threads: Table<ThreadRecord>;
  /** By run id, in groups by thread id. */
  runs: Table<RunRecord>;
  /** By thread and checkpoint id, in groups by thread id. */
  checkpoints: Table<CheckpointRecord>;
  /** What tasks did after checkpoints; in groups by thread id. */
  writes: Table<WriteRecord>;
  /** By namespace and key. */
  items: Table<ItemRecord>;
  /** By cron id, in groups by thread id. */
  crons: Table<CronRecord>;
  /** A number greater than any given out before. */
  nextSequence(): number;
}

export const versionKey = (assistantId: string, version: number) => `${assistantId}/${version}`;
export const checkpointKey = (threadId: string, checkpointId: string) => `${threadId}/${checkpointId}`;
export const writeKey = ({ threadId, checkpointId, taskId, index, runId }: WriteRecord) =>
  JSON.stringify([threadId, checkpointId, taskId, index, runId]);
export const itemKey = (namespace: readonly string[], key: string) => JSON.stringify([namespace, key]);
