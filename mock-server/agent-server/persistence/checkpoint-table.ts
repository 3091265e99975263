import { deserialize, serialize } from "node:v8";
import { DamagedRecordError, isObject, readJson } from "../../kit/store/damaged-record.ts";
import type { Database, Row, Value } from "../../kit/store/database.ts";
import type { Fields, Graph, StoredCheckpoint, StoredWrite } from "../engine/contract.ts";
import { all, type Condition, hasAll } from "./conditions.ts";
import type { CheckpointRecord } from "./records.ts";

type Engine = Graph["engine"];

/** Which checkpoints of a thread to find. */
export interface CheckpointFilter {
  namespace?: string | undefined;
  id?: string | undefined;
  /** Only those before the one with this id. */
  before?: string | undefined;
  /** What the metadata must have, at any depth. */
  metadata?: Fields | undefined;
}

const columns = "checkpoint_id, parent_id, namespace, metadata, created_at, run_id";

function readCheckpoint(row: Row): CheckpointRecord {
  return {
    id: row.checkpoint_id as string,
    parentId: row.parent_id as string | null,
    namespace: row.namespace as string,
    metadata: readJson(row.metadata, isObject, () => placeOf(row, "checkpoints", "metadata")) as Fields,
    createdAt: row.created_at as string,
    runId: row.run_id as string | null,
  };
}

function readStored(row: Row): StoredCheckpoint {
  return { ...readCheckpoint(row), content: readContent(row, "checkpoints") };
}

function readContent(row: Row, table: string): unknown {
  try {
    return deserialize(row.content as Uint8Array);
  } catch {
    throw new DamagedRecordError(placeOf(row, table, "content"), "can't be read");
  }
}

const placeOf = (row: Row, table: string, column: string) => ({ table, id: String(row.checkpoint_id), column });

/** Checkpoints of an agent server's threads, and what tasks did after them. Whoever may see a thread may see those. */
export class CheckpointTable {
  readonly #database: Database;
  readonly #agent: number;

  constructor(database: Database, agent: number) {
    this.#database = database;
    this.#agent = agent;
    database.describe({ table: "checkpoints", key: "checkpoint_id", columns: ["metadata"] });
  }

  /** The checkpoint with an id, or the newest of a namespace. */
  get(threadId: string, engine: Engine, namespace: string, id?: string): StoredCheckpoint | undefined {
    return this.#rows("*", threadId, engine, { namespace, id }, 1).map(readStored)[0];
  }

  /** Those of a namespace, or of all, the newest first. */
  list(threadId: string, engine: Engine, namespace?: string): StoredCheckpoint[] {
    return this.#rows("*", threadId, engine, { namespace }).map(readStored);
  }

  /** The newest that pass, without what their engine reads, the newest first. */
  search(threadId: string, engine: Engine, filter: CheckpointFilter, limit: number): CheckpointRecord[] {
    return this.#rows(columns, threadId, engine, filter, limit).map(readCheckpoint);
  }

  /** Adds or replaces a checkpoint; one of a thread that is gone is dropped. */
  put(threadId: string, engine: Engine, checkpoint: StoredCheckpoint): void {
    this.#database.run(
      `INSERT INTO checkpoints (agent, thread_id, engine, ${columns}, content)
        SELECT agent, thread_id, ?, ?, ?, ?, ?, ?, ?, ? FROM threads WHERE agent = ? AND thread_id = ?
        ON CONFLICT DO UPDATE SET engine = excluded.engine, parent_id = excluded.parent_id, metadata = excluded.metadata,
          created_at = excluded.created_at, run_id = excluded.run_id, content = excluded.content`,
      engine,
      checkpoint.id,
      checkpoint.parentId,
      checkpoint.namespace,
      JSON.stringify(checkpoint.metadata),
      checkpoint.createdAt,
      checkpoint.runId,
      serialize(checkpoint.content),
      this.#agent,
      threadId,
    );
  }

  setMetadata(threadId: string, { namespace, id }: CheckpointRecord, metadata: Fields): void {
    this.#database.run(
      "UPDATE checkpoints SET metadata = ? WHERE agent = ? AND thread_id = ? AND namespace = ? AND checkpoint_id = ?",
      JSON.stringify(metadata),
      this.#agent,
      threadId,
      namespace,
      id,
    );
  }

  /** The writes after a checkpoint; of marks of one kind, the last one. */
  writes(threadId: string, namespace: string, checkpointId: string): StoredWrite[] {
    return this.#database
      .all(
        // With max(), SQLite takes the other columns from the row that has it.
        `SELECT max(sequence), checkpoint_id, task_id, task_path, position, channel, run_id, content FROM writes
          WHERE agent = ? AND thread_id = ? AND namespace = ? AND checkpoint_id = ? GROUP BY task_id, position`,
        this.#agent,
        threadId,
        namespace,
        checkpointId,
      )
      .map((row) => ({
        namespace,
        checkpointId,
        taskId: row.task_id as string,
        taskPath: row.task_path as string,
        index: row.position as number,
        channel: row.channel as string,
        runId: row.run_id as string | null,
        content: readContent(row, "writes"),
      }));
  }

  /** A run's marks take the place of its earlier ones, and hide those of others; other writes stay as they were first put. */
  putWrites(threadId: string, writes: readonly StoredWrite[]): void {
    this.#database.transaction(() => {
      for (const write of writes) this.#putWrite(threadId, write);
    });
  }

  #putWrite(threadId: string, write: StoredWrite): void {
    const place: Value[] = [this.#agent, threadId, write.namespace, write.checkpointId, write.taskId, write.index];
    const isPlace =
      "agent = ? AND thread_id = ? AND namespace = ? AND checkpoint_id = ? AND task_id = ? AND position = ?";
    if (write.index >= 0 && this.#database.get(`SELECT 1 FROM writes WHERE ${isPlace}`, ...place)) return;
    this.#database.run(`DELETE FROM writes WHERE ${isPlace} AND run_id IS ?`, ...place, write.runId);
    this.#database.run(
      `INSERT INTO writes (agent, thread_id, namespace, checkpoint_id, task_id, position, task_path, channel, run_id, content)
        SELECT agent, thread_id, ?, ?, ?, ?, ?, ?, ?, ? FROM threads WHERE agent = ? AND thread_id = ?`,
      write.namespace,
      write.checkpointId,
      write.taskId,
      write.index,
      write.taskPath,
      write.channel,
      write.runId,
      serialize(write.content),
      this.#agent,
      threadId,
    );
  }

  /** Removes all of a thread, or what a run has put of it. */
  clear(threadId: string, runId?: string): void {
    const condition = `agent = ? AND thread_id = ?${runId === undefined ? "" : " AND run_id = ?"}`;
    const values = [this.#agent, threadId, ...(runId === undefined ? [] : [runId])];
    this.#database.transaction(() => {
      for (const table of ["checkpoints", "writes"]) {
        this.#database.run(`DELETE FROM ${table} WHERE ${condition}`, ...values);
      }
    });
  }

  /** Gives a thread all that another has. */
  copy(from: string, to: string): void {
    const checkpoint = `namespace, checkpoint_id, engine, parent_id, run_id, created_at, metadata, content`;
    const write = `namespace, checkpoint_id, task_id, task_path, position, channel, run_id, content`;
    this.#database.transaction(() => {
      for (const [table, copied] of Object.entries({ checkpoints: checkpoint, writes: write })) {
        this.#database.run(
          `INSERT INTO ${table} (agent, thread_id, ${copied})
            SELECT agent, ?, ${copied} FROM ${table} WHERE agent = ? AND thread_id = ? ORDER BY rowid`,
          to,
          this.#agent,
          from,
        );
      }
    });
  }

  /** Removes all but the last checkpoint of each namespace, and what was done after it. */
  keepLatest(threadId: string): void {
    const ofThread = [this.#agent, threadId];
    this.#database.transaction(() => {
      this.#database.run(
        `DELETE FROM checkpoints WHERE agent = ? AND thread_id = ? AND (engine, namespace, checkpoint_id) NOT IN
          (SELECT engine, namespace, max(checkpoint_id) FROM checkpoints WHERE agent = ? AND thread_id = ? GROUP BY engine, namespace)`,
        ...ofThread,
        ...ofThread,
      );
      this.#database.run("UPDATE checkpoints SET parent_id = NULL WHERE agent = ? AND thread_id = ?", ...ofThread);
      this.#database.run(
        `DELETE FROM writes WHERE agent = ? AND thread_id = ? AND checkpoint_id NOT IN
          (SELECT checkpoint_id FROM checkpoints WHERE agent = ? AND thread_id = ?)`,
        ...ofThread,
        ...ofThread,
      );
    });
  }

  /** The newest first. */
  #rows(selection: string, threadId: string, engine: Engine, filter: CheckpointFilter, limit = -1): Row[] {
    const { sql, values } = this.#passing(threadId, engine, filter);
    const query = `SELECT ${selection} FROM checkpoints WHERE ${sql} ORDER BY checkpoint_id DESC LIMIT ? + 0`;
    return this.#database.all(query, ...values, limit);
  }

  #passing(threadId: string, engine: Engine, { namespace, id, before, metadata }: CheckpointFilter): Condition {
    return all([
      { sql: "agent = ? AND thread_id = ? AND engine = ?", values: [this.#agent, threadId, engine] },
      ...(namespace === undefined ? [] : [{ sql: "namespace = ?", values: [namespace] }]),
      ...(id === undefined ? [] : [{ sql: "checkpoint_id = ?", values: [id] }]),
      ...(before === undefined ? [] : [{ sql: "checkpoint_id < ?", values: [before] }]),
      ...(metadata ? [hasAll("metadata", metadata)] : []),
    ]);
  }
}
