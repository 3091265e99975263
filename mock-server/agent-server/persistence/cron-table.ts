import type { Database } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import { all, type Condition, hasAll, passes } from "./conditions.ts";
import type { Order, Page } from "./page.ts";
import type { CronRecord } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";

/** Which schedules to find. Ids are in lower case. */
export interface CronFilter {
  assistant_id?: string | undefined;
  thread_id?: string | undefined;
  enabled?: boolean | undefined;
  /** What the metadata must have, at any depth. */
  metadata?: Fields | undefined;
}

export type CronOrder = Order<
  "cron_id" | "assistant_id" | "thread_id" | "next_run_date" | "end_time" | "created_at" | "updated_at"
>;

const mapping = new RowMapping<CronRecord>({
  cron_id: "plain",
  assistant_id: "plain",
  thread_id: "plain",
  on_run_completed: "plain",
  end_time: "plain",
  schedule: "plain",
  timezone: "plain",
  created_at: "plain",
  updated_at: "plain",
  user_id: "plain",
  payload: "json",
  next_run_date: "plain",
  metadata: "json",
  enabled: "flag",
  user: "json",
});

/** The schedules of an agent server, or those that access filters leave. */
export class CronTable {
  readonly #database: Database;
  readonly #agent: number;
  readonly #accessFilters: readonly Fields[];

  constructor(database: Database, agent: number, accessFilters: readonly Fields[] = []) {
    this.#database = database;
    this.#agent = agent;
    this.#accessFilters = accessFilters;
  }

  get(cronId: string): CronRecord | undefined {
    const { sql, values } = this.#visible({ sql: "cron_id = ?", values: [cronId] });
    const row = this.#database.get(`SELECT ${mapping.columns} FROM crons WHERE ${sql}`, ...values);
    return row && mapping.read(row);
  }

  insert(record: CronRecord): void {
    this.#database.run(
      `INSERT INTO crons (agent, ${mapping.columns}) VALUES (?, ${mapping.parameters})`,
      this.#agent,
      ...mapping.values(record),
    );
  }

  /** Replaces a schedule. Does nothing for one that is gone. */
  update(record: CronRecord): void {
    const { sql, values } = this.#visible({ sql: "cron_id = ?", values: [record.cron_id] });
    this.#database.run(
      `UPDATE crons SET (${mapping.columns}) = (${mapping.parameters}) WHERE ${sql}`,
      ...mapping.values(record),
      ...values,
    );
  }

  remove(cronId: string): void {
    const { sql, values } = this.#visible({ sql: "cron_id = ?", values: [cronId] });
    this.#database.run(`DELETE FROM crons WHERE ${sql}`, ...values);
  }

  count(filter: CronFilter): number {
    const { sql, values } = this.#passing(filter);
    const row = this.#database.get<{ total: number }>(`SELECT count(*) AS total FROM crons WHERE ${sql}`, ...values);
    return (row as { total: number }).total;
  }

  search(filter: CronFilter, { by, direction }: CronOrder, limit: number, offset: number): Page<CronRecord> {
    const { sql, values } = this.#passing(filter);
    const rows = this.#database.all(
      `SELECT ${mapping.columns} FROM crons WHERE ${sql} ORDER BY "${by}" ${direction}, sequence ${direction} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    );
    return { rows: rows.map((row) => mapping.read(row)), total: this.count(filter) };
  }

  /** All that pass, oldest first. */
  all(filter: CronFilter = {}): CronRecord[] {
    const { sql, values } = this.#passing(filter);
    return this.#database
      .all(`SELECT ${mapping.columns} FROM crons WHERE ${sql} ORDER BY sequence`, ...values)
      .map((row) => mapping.read(row));
  }

  #passing({ assistant_id: assistantId, thread_id: threadId, enabled, metadata }: CronFilter): Condition {
    return this.#visible(
      ...(assistantId === undefined ? [] : [{ sql: "assistant_id = ?", values: [assistantId] }]),
      ...(threadId === undefined ? [] : [{ sql: "thread_id = ?", values: [threadId] }]),
      ...(enabled === undefined ? [] : [{ sql: "enabled = ?", values: [Number(enabled)] }]),
      ...(metadata ? [hasAll("metadata", metadata)] : []),
    );
  }

  #visible(...conditions: Condition[]): Condition {
    return all([
      { sql: "agent = ?", values: [this.#agent] },
      ...conditions,
      ...this.#accessFilters.map((filter) => passes("metadata", filter)),
    ]);
  }
}
