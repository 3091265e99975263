import type { Database, Row, Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/graph.ts";
import { all, type Condition, hasAll, passes } from "./conditions.ts";
import type { Order, Page } from "./page.ts";
import type { ThreadRecord, ThreadStatus } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";
import { type FieldLookup, indexFields, isField, lookUps, threadHas } from "./thread-fields.ts";

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

const mapping = new RowMapping<Omit<ThreadRecord, "error" | "config" | "interrupts" | "values">>({
  thread_id: "plain",
  created_at: "plain",
  updated_at: "plain",
  state_updated_at: "plain",
  status: "plain",
  ttl: "json",
  metadata: "json",
});
const stateMapping = new RowMapping<Pick<ThreadRecord, "error" | "config" | "interrupts" | "values">>({
  error: "json",
  config: "json",
  interrupts: "json",
  values: "json",
});

const columns = `${mapping.columns}, ${stateMapping.columns}`;
const withState = "LEFT JOIN thread_states ON thread_states.thread = threads.sequence";

function read(row: Row): ThreadRecord {
  return { ...mapping.read(row), ...stateMapping.read(row) };
}

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
    const row = this.#database.get(`SELECT ${columns} FROM threads ${withState} WHERE ${sql}`, ...values);
    return row && read(row);
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
      this.#database.run(
        `INSERT INTO thread_states (thread, ${stateMapping.columns}) VALUES (last_insert_rowid(), ${stateMapping.parameters})`,
        ...stateMapping.values(record),
      );
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
      const isThread = [this.#agent, threadId];
      const own = mapping.some(changes);
      this.#database.run(
        `UPDATE threads SET (expires_at, ${own.columns}) = (?, ${own.parameters}) WHERE agent = ? AND thread_id = ?`,
        expiryOf(after),
        ...own.values,
        ...isThread,
      );
      const ofState = stateMapping.some(changes);
      if (ofState.values.length > 0) {
        this.#database.run(
          `UPDATE thread_states SET (${ofState.columns}) = (${ofState.parameters})
            WHERE thread = (SELECT sequence FROM threads WHERE agent = ? AND thread_id = ?)`,
          ...ofState.values,
          ...isThread,
        );
      }
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
    const { total, matches } = this.#find(filter);
    const isSorted = total <= maxSorted;
    const source = isSorted ? "threads" : `threads INDEXED BY ${orderIndexes[by]}`;
    const { sql, values } = isSorted ? matches : all([this.#ofAgent(), ...this.#conditions(filter)]);
    const order = `ORDER BY threads."${by}" ${direction}, sequence ${direction}`;
    // What isn't on the page is sorted without its texts.
    const page = `SELECT sequence FROM ${source} ${filter.values ? withState : ""} WHERE ${sql} ${order} LIMIT ? OFFSET ?`;
    const rows = this.#database.all(
      `SELECT ${columns} FROM threads ${withState} WHERE sequence IN (${page}) ${order}`,
      ...values,
      limit,
      offset,
    );
    return { rows: rows.map(read), total };
  }

  /** The ids of all that pass, oldest first. */
  ids(filter: ThreadFilter = {}): string[] {
    const { sql, values } = this.#find(filter).matches;
    return this.#database
      .all<{ thread_id: string }>(
        `SELECT thread_id FROM threads ${withState} WHERE ${sql} ORDER BY sequence`,
        ...values,
      )
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
        `SELECT ${columns} FROM threads ${withState} WHERE agent = ? AND expires_at <= ? ORDER BY expires_at`,
        this.#agent,
        now,
      )
      .map(read);
  }

  /** The condition for the one thread, if it may be seen; for runs, of theirs. */
  isVisible(threadId?: string): Condition {
    const one: Condition =
      threadId === undefined
        ? { sql: "threads.agent = runs.agent AND threads.thread_id = runs.thread_id", values: [] }
        : { sql: "agent = ? AND thread_id = ?", values: [this.#agent, threadId] };
    return all([one, ...this.#accessFilters.map((filter) => passes("threads.metadata", filter))]);
  }

  /** How many threads pass, and the condition of being one of them. */
  #find(filter: ThreadFilter): { total: number; matches: Condition } {
    const { indexed, isScan, values: ofValues } = this.#lookUps(filter);
    const [first, ...others] = indexed;
    if (first && !isScan && !filter.ids && filter.status === undefined) {
      // What only the index of fields is asked for, it also counts alone.
      const rest = others.map((field) => threadHas(this.#agent, field, "one.thread"));
      const { sql, values } = all([isField("one", this.#agent, first), ...rest]);
      const total = this.#count(`SELECT 1 FROM thread_fields AS one WHERE ${sql}`, values);
      return { total, matches: this.#matches(filter, indexed) };
    }
    const matches = this.#matches(filter, indexed);
    const source = `FROM threads ${ofValues ? withState : ""} WHERE ${matches.sql}`;
    if (!isScan) return { total: this.#count(`SELECT 1 ${source}`, matches.values), matches };
    // Going through all texts takes long enough to do it only once.
    const { total, found } = this.#database.get<{ total: number; found: string }>(
      `SELECT count(*) AS total, json_group_array(sequence) AS found ${source}`,
      ...matches.values,
    ) as { total: number; found: string };
    return { total, matches: { sql: "sequence IN (SELECT value FROM json_each(?))", values: [found] } };
  }

  /** A condition by which the threads that pass are found from the side where there are fewest. */
  #matches(filter: ThreadFilter, indexed: readonly FieldLookup[]): Condition {
    const rare = indexed.find((field) => this.#isRare(field));
    const conditions = this.#conditions(filter, rare);
    if (rare) {
      const { sql, values } = isField("one", this.#agent, rare);
      return all([
        { sql: `sequence IN (SELECT thread FROM thread_fields AS one WHERE ${sql})`, values },
        ...conditions,
      ]);
    }
    return all(filter.ids ? conditions : [this.#ofAgent(), ...conditions]);
  }

  #isRare(field: FieldLookup): boolean {
    const { sql, values } = isField("one", this.#agent, field);
    const some = `SELECT 1 FROM thread_fields AS one WHERE ${sql} LIMIT ${maxSorted + 1}`;
    return this.#count(some, values) <= maxSorted;
  }

  #count(query: string, values: readonly Value[]): number {
    return (this.#database.get(`SELECT count(*) AS total FROM (${query})`, ...values) as { total: number }).total;
  }

  /** What of a filter is looked up by an index, and what needs a look at the texts of metadata and values. */
  #lookUps({ metadata, values }: ThreadFilter) {
    const inMetadata = lookUps("metadata", metadata ?? {});
    const inValues = lookUps("values", values ?? {});
    const access = this.#accessFilters.map((filter) => lookUps("metadata", filter));
    const accessRest = access.flatMap(({ rest }) => (rest ? [rest] : []));
    return {
      indexed: [...inMetadata.indexed, ...inValues.indexed, ...access.flatMap(({ indexed }) => indexed)],
      metadata: inMetadata.rest,
      values: inValues.rest,
      access: accessRest,
      isScan: inMetadata.rest !== undefined || inValues.rest !== undefined || accessRest.length > 0,
    };
  }

  #ofAgent(): Condition {
    return { sql: "threads.agent = ?", values: [this.#agent] };
  }

  /** What a thread of the agent must meet, one by one, but for a field that it is known to have. */
  #conditions(filter: ThreadFilter, known?: FieldLookup): Condition[] {
    const { ids, status } = filter;
    const { indexed, metadata, values, access } = this.#lookUps(filter);
    const others = indexed.filter(({ source, name, value }) => {
      return !known || source !== known.source || name !== known.name || value !== known.value;
    });
    const conditions = others.map((field) => threadHas(this.#agent, field));
    if (ids) {
      const sql = `sequence IN (SELECT chosen.sequence FROM json_each(?) AS wanted
        CROSS JOIN threads AS chosen ON chosen.agent = ? AND chosen.thread_id = wanted.value)`;
      conditions.push({ sql, values: [JSON.stringify(ids), this.#agent] });
    }
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
