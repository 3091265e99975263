import { hasFields, isObject, isText } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { isUser } from "../auth/auth-user.ts";
import type { Fields } from "../engine/contract.ts";
import { AgentTable } from "./agent-table.ts";
import { type Condition, hasAll, passes } from "./conditions.ts";
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

const mapping = new RowMapping<CronRecord>("crons", ["cron_id"], {
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
  payload: hasFields({ assistant_id: isText }),
  next_run_date: "plain",
  metadata: isObject,
  enabled: "flag",
  user: isUser,
});

/** The schedules of an agent server, or those that access filters leave. */
export class CronTable extends AgentTable<CronRecord> {
  constructor(database: Database, agent: number, accessFilters: readonly Fields[] = []) {
    super(database, agent, {
      table: "crons",
      mapping,
      access: accessFilters.map((filter) => passes("metadata", filter)),
    });
  }

  get(cronId: string): CronRecord | undefined {
    return this.select([isCron(cronId)])[0];
  }

  insert(record: CronRecord): void {
    this.database.run(
      `INSERT INTO crons (agent, ${mapping.columns}) VALUES (?, ${mapping.parameters})`,
      this.agent,
      ...mapping.values(record),
    );
  }

  /** Replaces a schedule. Does nothing for one that is gone. */
  update(record: CronRecord): void {
    const { sql, values } = this.visible(isCron(record.cron_id));
    this.database.run(
      `UPDATE crons SET (${mapping.columns}) = (${mapping.parameters}) WHERE ${sql}`,
      ...mapping.values(record),
      ...values,
    );
  }

  remove(cronId: string): void {
    this.removeThose(isCron(cronId));
  }

  count(filter: CronFilter): number {
    return this.total(conditionsOf(filter));
  }

  search(filter: CronFilter, order: CronOrder, limit: number, offset: number): Page<CronRecord> {
    return this.page(conditionsOf(filter), order, limit, offset);
  }

  /** All that pass, oldest first. */
  all(filter: CronFilter = {}): CronRecord[] {
    return this.select(conditionsOf(filter), "ORDER BY sequence");
  }
}

function isCron(cronId: string): Condition {
  return { sql: "cron_id = ?", values: [cronId] };
}

function conditionsOf({ assistant_id: assistantId, thread_id: threadId, enabled, metadata }: CronFilter): Condition[] {
  return [
    ...(assistantId === undefined ? [] : [{ sql: "assistant_id = ?", values: [assistantId] }]),
    ...(threadId === undefined ? [] : [{ sql: "thread_id = ?", values: [threadId] }]),
    ...(enabled === undefined ? [] : [{ sql: "enabled = ?", values: [Number(enabled)] }]),
    ...(metadata ? [hasAll("metadata", metadata)] : []),
  ];
}
