import type { Database, Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/graph.ts";
import { all, type Condition, hasAll, isOneOf, passes } from "./conditions.ts";
import type { Order, Page } from "./page.ts";
import type { ThreadRecord, ThreadStatus } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";
import { indexFields, lookUps, threadHas, threadsWith } from "./thread-fields.ts";

/** Which threads to find. */
export interface ThreadFilter {
  /** In lower case. */
  ids?: readonly string[] | undefined;
  status?: ThreadStatus | undefined;
  /** What the metadata must have, at any depth. */
  metadata?: Fields | undefined;
  /** What the state must have, at any depth. */
  values?: Fields | undefined;
}

const mapping = new RowMapping<ThreadRecord>({
  thread_id: "plain",
  created_at: "plain",
  updated_at: "plain",
  state_updated_at: "plain",
  status: "plain",
  ttl: "json",
  metadata: "json",
  error: "json",
  config: "json",
  interrupts: "json",
  values: "json",
});

export type ThreadOrder = Order<"thread_id" | "status" | "created_at" | "updated_at" | "state_updated_at">;

/** The index that has the threads in the order of a field. */
const orderIndexes: Record<ThreadOrder["by"], string> = {
  thread_id: "sqlite_autoindex_threads_1",
  status: "threads_by_status",
  created_at: "threads_by_created_at",
  updated_at: "threads_by_updated_at",
  state_updated_at: "threads_by_state_updated_at",
};

/** How many threads are found and then sorted. Of more, a page is found sooner by going through all threads in their order. */
const maxSorted = 2000;

/** The threads of an agent server, or those that an access filter leaves. */
export class ThreadTable {
  readonly #database: Database;
  readonly #agent: number;
  readonly #accessFilters: readonly Fields[];

  constructor(database: Database, agent: number, accessFilters: readonly Fields[] = []) {
    this.#database = database;
    this.#agent = agent;
    this.#accessFilters = accessFilters;
  }

  get(threadId: string): ThreadRecord | undefined {
    const { sql, values } = this.isVisible(threadId);
    const row = this.#database.get(`SELECT ${mapping.columns} FROM threads WHERE ${sql}`, ...values);
    return row && mapping.read(row);
  }

  /** Adds a thread. False when there is one with its id, whoever may see that. */
  insert(record: ThreadRecord): boolean {
    return this.#database.transaction(() => {
      const added = this.#database.run(
        `INSERT INTO threads (agent, expires_at, ${mapping.columns}) VALUES (?, ?, ${mapping.parameters}) ON CONFLICT DO NOTHING`,
        this.#agent,
        expiryOf(record),
        ...mapping.values(record),
      );
      if (added === 0) return false;
      indexFields(this.#database, this.#agent, record.thread_id, "metadata", record.metadata);
      indexFields(this.#database, this.#agent, record.thread_id, "values", record.values);
      return true;
    });
  }

  /** Replaces the fields that `changes` has. Returns the thread as it is then; `undefined` when there is none. */
  update(threadId: string, changes: Partial<ThreadRecord>): ThreadRecord | undefined {
    return this.#database.transaction(() => {
      const before = this.get(threadId);
      if (!before) return undefined;
      const after = { ...before, ...changes };
      const { columns, parameters, values } = mapping.some(changes);
      this.#database.run(
        `UPDATE threads SET (expires_at, ${columns}) = (?, ${parameters}) WHERE agent = ? AND thread_id = ?`,
        expiryOf(after),
        ...values,
        this.#agent,
        threadId,
      );
      if (changes.metadata) indexFields(this.#database, this.#agent, threadId, "metadata", after.metadata);
      if (changes.values !== undefined) indexFields(this.#database, this.#agent, threadId, "values", after.values);
      return after;
    });
  }

  /** Removes a thread with all that belongs to it. */
  remove(threadId: string): void {
    const { sql, values } = this.isVisible(threadId);
    this.#database.run(`DELETE FROM threads WHERE ${sql}`, ...values);
  }

  count(filter: ThreadFilter): number {
    return this.#find(filter).total;
  }

  search(filter: ThreadFilter, { by, direction }: ThreadOrder, limit: number, offset: number): Page<ThreadRecord> {
    const { total, matches } = this.#find(filter, (count) => count <= maxSorted);
    const source = matches ? "threads" : `threads INDEXED BY ${orderIndexes[by]}`;
    const { sql, values } = matches ?? all(this.#conditions(filter, "ordered"));
    const order = `"${by}" ${direction}, sequence ${direction}`;
    const rows = this.#database.all(
      `SELECT ${mapping.columns} FROM ${source} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    );
    return { rows: rows.map((row) => mapping.read(row)), total };
  }

  /** The ids of all that pass, oldest first. */
  ids(filter: ThreadFilter = {}): string[] {
    const { sql, values } = all(this.#conditions(filter, "matched"));
    return this.#database
      .all<{ thread_id: string }>(`SELECT thread_id FROM threads WHERE ${sql} ORDER BY sequence`, ...values)
      .map(({ thread_id: id }) => id);
  }

  /** When the next thread expires, in milliseconds since the epoch. */
  nextExpiry(): number | undefined {
    return this.#database.get<{ expires_at: number }>(
      "SELECT expires_at FROM threads WHERE agent = ? AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1",
      this.#agent,
    )?.expires_at;
  }

  /** The threads that have expired. */
  expired(now: number): ThreadRecord[] {
    return this.#database
      .all(
        `SELECT ${mapping.columns} FROM threads WHERE agent = ? AND expires_at <= ? ORDER BY expires_at`,
        this.#agent,
        now,
      )
      .map((row) => mapping.read(row));
  }

  /** The condition for the one thread, if it may be seen; for runs, of theirs. */
  isVisible(threadId?: string): Condition {
    const one: Condition =
      threadId === undefined
        ? { sql: "threads.agent = runs.agent AND threads.thread_id = runs.thread_id", values: [] }
        : { sql: "agent = ? AND thread_id = ?", values: [this.#agent, threadId] };
    return all([one, ...this.#accessFilters.map((filter) => passes("threads.metadata", filter))]);
  }

  /** How many threads pass. With `matches` the condition of being one of them, if `isWanted` says so of their number. */
  #find(
    filter: ThreadFilter,
    isWanted: (total: number) => boolean = () => false,
  ): { total: number; matches: Condition | undefined } {
    const conditions = this.#conditions(filter, "matched");
    const where = all(conditions);
    const indexed = this.#lookUps(filter).indexed;
    // The fields of threads alone are counted by their index alone.
    const source =
      indexed.length > 0 && conditions.length === 1
        ? threadsWith(this.#agent, indexed)
        : { sql: `SELECT sequence FROM threads WHERE ${where.sql}`, values: where.values };
    if (!this.#isScan(filter)) {
      const total = this.#count(source);
      return { total, matches: isWanted(total) ? where : undefined };
    }
    // Going through all texts takes long enough to do it only once.
    const { total, found } = this.#database.get<{ total: number; found: string }>(
      `SELECT count(*) AS total, json_group_array(sequence) AS found FROM (${source.sql})`,
      ...source.values,
    ) as { total: number; found: string };
    const matches = { sql: "sequence IN (SELECT value FROM json_each(?))", values: [found] };
    return { total, matches: isWanted(total) ? matches : undefined };
  }

  #count({ sql, values }: Condition): number {
    return (this.#database.get(`SELECT count(*) AS total FROM (${sql})`, ...values) as { total: number }).total;
  }

  /** What of a filter is looked up by an index, and what needs a look at the texts of metadata and values. */
  #lookUps({ metadata, values }: ThreadFilter) {
    const inMetadata = lookUps("metadata", metadata ?? {});
    const inValues = lookUps("values", values ?? {});
    const access = this.#accessFilters.map((filter) => lookUps("metadata", filter));
    return {
      indexed: [...inMetadata.indexed, ...inValues.indexed, ...access.flatMap(({ indexed }) => indexed)],
      metadata: inMetadata.rest,
      values: inValues.rest,
      access: access.flatMap(({ rest }) => (rest ? [rest] : [])),
    };
  }

  #isScan(filter: ThreadFilter): boolean {
    const { metadata, values, access } = this.#lookUps(filter);
    return metadata !== undefined || values !== undefined || access.length > 0;
  }

  /** `ordered`: for going through the threads in an order; `matched`: for finding them all. */
  #conditions(filter: ThreadFilter, purpose: "ordered" | "matched"): Condition[] {
    const { ids, status } = filter;
    const { indexed, metadata, values, access } = this.#lookUps(filter);
    const conditions: Condition[] = [];
    if (purpose === "ordered" || indexed.length === 0) conditions.push({ sql: "agent = ?", values: [this.#agent] });
    if (purpose === "ordered") conditions.push(...indexed.map((field) => threadHas(this.#agent, field)));
    else if (indexed.length > 0) {
      const found = threadsWith(this.#agent, indexed);
      conditions.push({ sql: `sequence IN (${found.sql})`, values: found.values });
    }
    if (ids) conditions.push(isOneOf("thread_id", ids));
    if (status !== undefined) conditions.push({ sql: "status = ?", values: [status] });
    if (metadata) conditions.push(hasAll("metadata", metadata));
    if (values) conditions.push(hasAll(`"values"`, values));
    for (const rest of access) conditions.push(passes("metadata", rest));
    return conditions;
  }
}

function expiryOf({ ttl }: ThreadRecord): Value {
  return ttl ? Date.parse(ttl.expires_at) : null;
}
