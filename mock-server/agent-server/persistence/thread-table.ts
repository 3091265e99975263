import { hasFields, isAny, isListOf, isNumber, isObject, isText } from "../../kit/store/damaged-record.ts";
import type { Database, Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import { all, type Condition, passes } from "./conditions.ts";
import type { Page } from "./page.ts";
import type { ThreadRecord } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";
import { type FieldSource, indexFields, removeFields } from "./thread-fields.ts";
import { joinStates, orderBy, type ThreadFilter, type ThreadOrder, ThreadSearch } from "./thread-search.ts";

const ownColumns = {
  thread_id: "plain",
  created_at: "plain",
  updated_at: "plain",
  state_updated_at: "plain",
  status: "plain",
  ttl: hasFields({ strategy: isText, ttl_minutes: isNumber, expires_at: isText }),
  metadata: isObject,
} as const;
const stateColumns = {
  error: hasFields({ error: isText, message: isText }),
  config: isObject,
  interrupts: (value: unknown) => isObject(value) && Object.values(value as Fields).every(isListOf(isObject)),
  // A function of tasks may return anything.
  values: isAny,
} as const;

const mapping = new RowMapping<Pick<ThreadRecord, keyof typeof ownColumns>>("threads", ["thread_id"], ownColumns);
const stateMapping = new RowMapping<Pick<ThreadRecord, keyof typeof stateColumns>>("thread_states", [], stateColumns);
const whole = new RowMapping<ThreadRecord>("threads", ["thread_id"], { ...ownColumns, ...stateColumns });

const idOfState = "(SELECT thread_id FROM threads WHERE sequence = thread)";

/** The threads of an agent server, or those that an access filter leaves. */
export class ThreadTable {
  readonly #database: Database;
  readonly #agent: number;
  readonly #accessFilters: readonly Fields[];
  readonly #search: ThreadSearch;

  constructor(database: Database, agent: number, accessFilters: readonly Fields[] = []) {
    this.#database = database;
    this.#agent = agent;
    this.#accessFilters = accessFilters;
    database.describe(mapping.json);
    database.describe({ ...stateMapping.json, key: idOfState });
    this.#search = new ThreadSearch(database, agent, accessFilters);
  }

  get(threadId: string): ThreadRecord | undefined {
    const { sql, values } = this.isVisible(threadId);
    const [row] = this.#database.rows(`SELECT ${whole.columns} FROM threads ${joinStates} WHERE ${sql}`, ...values);
    return row && whole.read(row);
  }

  /** Adds a thread. False when there is one with its id, whoever may see that. */
  insert(record: ThreadRecord): boolean {
    return this.#database.transaction(() => {
      const added = this.#database.get<{ sequence: number }>(
        `INSERT INTO threads (agent, expires_at, ${mapping.columns}) VALUES (?, ?, ${mapping.parameters}) ON CONFLICT DO NOTHING RETURNING sequence`,
        this.#agent,
        expiryOf(record),
        ...mapping.values(record),
      );
      if (!added) return false;
      this.#database.run(
        `INSERT INTO thread_states (thread, ${stateMapping.columns}) VALUES (?, ${stateMapping.parameters})`,
        added.sequence,
        ...stateMapping.values(record),
      );
      indexFields(this.#database, this.#agent, added.sequence, "metadata", record.metadata);
      indexFields(this.#database, this.#agent, added.sequence, "values", record.values);
      return true;
    });
  }

  /** Replaces the fields that `changes` has. Returns the thread as it is then; `undefined` when there is none. */
  update(threadId: string, changes: Partial<ThreadRecord>): ThreadRecord | undefined {
    return this.#database.transaction(() => {
      const before = this.get(threadId);
      if (!before) return undefined;
      const after = { ...before, ...changes };
      const own = mapping.some(changes);
      const { sequence } = this.#database.get<{ sequence: number }>(
        `UPDATE threads SET (expires_at, ${own.columns}) = (?, ${own.parameters}) WHERE agent = ? AND thread_id = ? RETURNING sequence`,
        expiryOf(after),
        ...own.values,
        this.#agent,
        threadId,
      ) as { sequence: number };
      const ofState = stateMapping.some(changes);
      if (ofState.values.length > 0) {
        this.#database.run(
          `UPDATE thread_states SET (${ofState.columns}) = (${ofState.parameters}) WHERE thread = ?`,
          ...ofState.values,
          sequence,
        );
      }
      const reindex = (source: FieldSource, fields: Fields | null) => {
        removeFields(this.#database, sequence, source);
        indexFields(this.#database, this.#agent, sequence, source, fields);
      };
      if (changes.metadata) reindex("metadata", after.metadata);
      if (changes.values !== undefined) reindex("values", after.values);
      return after;
    });
  }

  /** Removes a thread with all that belongs to it. */
  remove(threadId: string): void {
    const { sql, values } = this.isVisible(threadId);
    this.#database.run(`DELETE FROM threads WHERE ${sql}`, ...values);
  }

  count(filter: ThreadFilter): number {
    return this.#search.find(filter).total;
  }

  search(filter: ThreadFilter, order: ThreadOrder, limit: number, offset: number): Page<ThreadRecord> {
    const { total, page } = this.#search.page(filter, order, limit, offset);
    // What isn't on the page is sorted without its texts.
    const rows = this.#database.rows(
      `SELECT ${whole.columns} FROM threads ${joinStates} WHERE sequence IN (${page.sql}) ${orderBy(order)}`,
      ...page.values,
    );
    return { rows: rows.map((row) => whole.read(row)), total };
  }

  /** The ids of all that pass, oldest first. */
  ids(filter: ThreadFilter = {}): string[] {
    const { sql, values } = this.#search.find(filter).matches;
    return this.#database
      .all<{ thread_id: string }>(
        `SELECT thread_id FROM threads ${joinStates} WHERE ${sql} ORDER BY sequence`,
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
      .rows(
        `SELECT ${whole.columns} FROM threads ${joinStates} WHERE agent = ? AND expires_at <= ? ORDER BY expires_at`,
        this.#agent,
        now,
      )
      .map((row) => whole.read(row));
  }

  /** The condition for the one thread, if it may be seen; for runs, of theirs. */
  isVisible(threadId?: string): Condition {
    const one: Condition =
      threadId === undefined
        ? { sql: "threads.agent = runs.agent AND threads.thread_id = runs.thread_id", values: [] }
        : { sql: "agent = ? AND thread_id = ?", values: [this.#agent, threadId] };
    return all([one, ...this.#accessFilters.map((filter) => passes("threads.metadata", filter))]);
  }
}

function expiryOf({ ttl }: ThreadRecord): Value {
  return ttl ? Date.parse(ttl.expires_at) : null;
}
