import type { Frame } from "../../kit/log-reader.ts";
import { hasFields, isObject, isText, readJson } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { pageClause } from "../../kit/store/table.ts";
import { isUser } from "../auth/auth-user.ts";
import type { RunStart } from "../runs/run-schemas.ts";
import { AgentTable } from "./agent-table.ts";
import type { RunRecord, RunStatus } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";
import type { ThreadTable } from "./thread-table.ts";

const mapping = new RowMapping<RunRecord>("runs", ["run_id"], {
  run_id: "plain",
  thread_id: "plain",
  assistant_id: "plain",
  created_at: "plain",
  updated_at: "plain",
  status: "plain",
  metadata: isObject,
  kwargs: hasFields({ config: isObject }),
  multitask_strategy: "plain",
  user: isUser,
});

const isStart = hasFields({ assistant_id: isText });

/** Maximum number of characters of ended runs' stored events, and maximum number of such runs. */
const maxEventsSize = 32 * 1024 * 1024;
const maxRunsWithEvents = 1000;

/** The runs of an agent server, limited to those of visible threads. */
export class RunTable extends AgentTable<RunRecord> {
  constructor(database: Database, agent: number, visibleThreads?: ThreadTable) {
    const thread = visibleThreads?.isVisible();
    const access = thread ? [{ ...thread, sql: `EXISTS (SELECT 1 FROM threads WHERE ${thread.sql})` }] : [];
    super(database, agent, { table: "runs", mapping, access });
  }

  get(runId: string): RunRecord | undefined {
    return this.select([{ sql: "run_id = ?", values: [runId] }])[0];
  }

  /** Adds a run of an existing thread. */
  insert(record: RunRecord, start: RunStart): void {
    this.database.run(
      `INSERT INTO runs (agent, start, ${mapping.columns}) VALUES (?, ?, ${mapping.parameters})`,
      this.agent,
      JSON.stringify(start),
      ...mapping.values(record),
    );
  }

  begin(runId: string, now: string): void {
    this.database.run(
      "UPDATE runs SET status = 'running', updated_at = ? WHERE agent = ? AND run_id = ?",
      now,
      this.agent,
      runId,
    );
  }

  /** Ends a run; `eventsSize` is the number of characters of its stored events. */
  end(runId: string, status: RunStatus, now: string, eventsSize: number): void {
    this.database.run(
      "UPDATE runs SET status = ?, updated_at = ?, events_size = ?, start = NULL WHERE agent = ? AND run_id = ?",
      status,
      now,
      eventsSize,
      this.agent,
      runId,
    );
    if (eventsSize > 0) this.#trimEvents();
  }

  remove(runId: string): void {
    this.removeWhere({ sql: "run_id = ?", values: [runId] });
  }

  /** The runs of a thread, newest first. */
  ofThread(threadId: string, status: RunStatus | undefined, limit: number, offset: number): RunRecord[] {
    const conditions = [
      { sql: "thread_id = ?", values: [threadId] },
      ...(status === undefined ? [] : [{ sql: "status = ?", values: [status] }]),
    ];
    return this.select(conditions, `ORDER BY sequence DESC ${pageClause}`, limit, offset);
  }

  /** The runs that continue a task of A2A, oldest first. */
  continuing(threadId: string, taskId: string): RunRecord[] {
    const conditions = [
      { sql: "thread_id = ?", values: [threadId] },
      { sql: "metadata ->> 'a2a_task_id' = ?", values: [taskId] },
    ];
    return this.select(conditions, "ORDER BY sequence");
  }

  /** The runs of an assistant that clients of A2A started, oldest first. */
  ofTasks(assistantId: string, threadId: string | undefined): RunRecord[] {
    const conditions = [
      { sql: "assistant_id = ?", values: [assistantId] },
      { sql: "metadata ->> 'a2a_message_id' IS NOT NULL", values: [] },
      ...(threadId === undefined ? [] : [{ sql: "thread_id = ?", values: [threadId] }]),
    ];
    return this.select(conditions, "ORDER BY sequence");
  }

  /** The ids of the runs with one of the statuses, oldest first. */
  ids(statuses: readonly RunStatus[]): string[] {
    const { sql, values } = this.visible({
      sql: "status IN (SELECT value FROM json_each(?))",
      values: [JSON.stringify(statuses)],
    });
    return this.database
      .all<{ run_id: string }>(`SELECT run_id FROM runs WHERE ${sql} ORDER BY sequence`, ...values)
      .map(({ run_id: id }) => id);
  }

  /** The runs that haven't ended, in order of creation. */
  unfinished(): { record: RunRecord; start: RunStart }[] {
    return this.database
      .rows(
        `SELECT ${mapping.columns}, start FROM runs WHERE agent = ? AND status IN ('pending', 'running') ORDER BY sequence`,
        this.agent,
      )
      .map((row) => {
        const record = mapping.read(row);
        const place = () => ({ table: "runs", id: record.run_id, column: "start" });
        return { record, start: readJson(row.at(-1), isStart, place) as RunStart };
      });
  }

  /** The stored events of a run, in order. */
  events(runId: string): Frame[] {
    return this.database.all<Frame & object>(
      "SELECT number, mode, text FROM run_events WHERE agent = ? AND run_id = ? ORDER BY number",
      this.agent,
      runId,
    );
  }

  /** Stores further events of an existing run, and drops those before number `oldest`. */
  addEvents(runId: string, frames: readonly Frame[], oldest: number): void {
    this.database.transaction(() => {
      for (const { number, mode, text } of frames) {
        this.database.run(
          "INSERT INTO run_events (agent, run_id, number, mode, text) VALUES (?, ?, ?, ?, ?)",
          this.agent,
          runId,
          number,
          mode,
          text,
        );
      }
      this.database.run(
        "DELETE FROM run_events WHERE agent = ? AND run_id = ? AND number < ?",
        this.agent,
        runId,
        oldest,
      );
    });
  }

  /** Drops the events of the runs that ended first while the limits are exceeded. */
  #trimEvents(): void {
    const trimmed = this.database.all<{ run_id: string }>(
      `SELECT run_id FROM (
        SELECT run_id, sum(events_size) OVER newer AS size, count(*) OVER newer AS runs
          FROM runs WHERE agent = ? AND events_size > 0 WINDOW newer AS (ORDER BY sequence DESC)
      ) WHERE size > ? OR runs > ?`,
      this.agent,
      maxEventsSize,
      maxRunsWithEvents,
    );
    for (const { run_id: id } of trimmed) {
      this.database.run("DELETE FROM run_events WHERE agent = ? AND run_id = ?", this.agent, id);
      this.database.run("UPDATE runs SET events_size = 0 WHERE agent = ? AND run_id = ?", this.agent, id);
    }
  }
}
