import type { Database, Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import { all, type Condition, hasAll, passes } from "./conditions.ts";
import type { Order } from "./page.ts";
import type { ThreadStatus } from "./records.ts";
import { type FieldLookup, isField, lookUps, threadHas } from "./thread-fields.ts";

/** Selects threads. */
export interface ThreadFilter {
  /** In lower case. */
  ids?: readonly string[] | undefined;
  status?: ThreadStatus | undefined;
  /** What the metadata must contain, at any depth. */
  metadata?: Fields | undefined;
  /** What the state must contain, at any depth. */
  values?: Fields | undefined;
}

export type ThreadOrder = Order<"thread_id" | "status" | "created_at" | "updated_at" | "state_updated_at">;

/** The index with the threads in the order of a field. */
const orderIndexes: Record<ThreadOrder["by"], string> = {
  thread_id: "sqlite_autoindex_threads_1",
  status: "threads_by_status",
  created_at: "threads_by_created_at",
  updated_at: "threads_by_updated_at",
  state_updated_at: "threads_by_state_updated_at",
};

/** Maximum number of matches that are sorted. With more, scanning the threads in order finds a page sooner. */
const maxSorted = 2000;

export const joinStates = "LEFT JOIN thread_states ON thread_states.thread = threads.sequence";

/**
 * `isSorted`: there are few matches, so the query finds them by their fields and sorts them, instead of scanning in
 * order.
 */
export function orderBy({ by, direction }: ThreadOrder, isSorted = false): string {
  return `ORDER BY ${isSorted ? "+" : ""}threads."${by}" ${direction}, sequence ${direction}`;
}

/** Searches the threads of an agent server, limited by access filters. Conditions are about rows of `threads`. */
export class ThreadSearch {
  readonly #database: Database;
  readonly #agent: number;
  readonly #accessFilters: readonly Fields[];

  constructor(database: Database, agent: number, accessFilters: readonly Fields[]) {
    this.#database = database;
    this.#agent = agent;
    this.#accessFilters = accessFilters;
  }

  /** The number of matches, and a query for the sequences of those on a page. */
  page(filter: ThreadFilter, order: ThreadOrder, limit: number, offset: number): { total: number; page: Condition } {
    const { total, matches } = this.find(filter);
    const isSorted = total <= maxSorted;
    const source = isSorted ? "threads" : `threads INDEXED BY ${orderIndexes[order.by]}`;
    const { sql, values } = isSorted ? matches : all([this.#ofAgent(), ...this.#conditions(filter)]);
    const states = filter.values ? joinStates : "";
    return {
      total,
      page: {
        sql: `SELECT sequence FROM ${source} ${states} WHERE ${sql} ${orderBy(order, isSorted)} LIMIT ? OFFSET ?`,
        values: [...values, limit, offset],
      },
    };
  }

  /** The number of matches, and the condition for a match. */
  find(filter: ThreadFilter): { total: number; matches: Condition } {
    const { indexed, isScan, values: ofValues } = this.#lookUps(filter);
    const [first, ...others] = indexed;
    if (first && !isScan && !filter.ids && filter.status === undefined) {
      // A search for indexed fields alone is counted on the index alone.
      const rest = others.map((field) => threadHas(this.#agent, field, "one.thread"));
      const { sql, values } = all([isField("one", this.#agent, first), ...rest]);
      const total = this.#count(`SELECT 1 FROM thread_fields AS one WHERE ${sql}`, values);
      return { total, matches: this.#matches(filter, indexed) };
    }
    const matches = this.#matches(filter, indexed);
    const source = `FROM threads ${ofValues ? joinStates : ""} WHERE ${matches.sql}`;
    if (!isScan) return { total: this.#count(`SELECT 1 ${source}`, matches.values), matches };
    // Scanning all JSON is slow, so one query counts and finds.
    const { total, found } = this.#database.get<{ total: number; found: string }>(
      `SELECT count(*) AS total, json_group_array(sequence) AS found ${source}`,
      ...matches.values,
    ) as { total: number; found: string };
    return { total, matches: { sql: "sequence IN (SELECT value FROM json_each(?))", values: [found] } };
  }

  /** The condition for a match, starting from the most selective index. */
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

  /** Splits a filter into indexed fields and what has to be checked in the JSON of metadata and values. */
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

  /** The conditions for a match, without that of a field that is known to hold. */
  #conditions(filter: ThreadFilter, known?: FieldLookup): Condition[] {
    const { ids, status } = filter;
    const { indexed, metadata, values, access } = this.#lookUps(filter);
    const others = indexed.filter(({ source, name, value }) => {
      return !known || source !== known.source || name !== known.name || value !== known.value;
    });
    const chosen = `sequence IN (SELECT chosen.sequence FROM json_each(?) AS wanted
      CROSS JOIN threads AS chosen ON chosen.agent = ? AND chosen.thread_id = wanted.value)`;
    return [
      ...others.map((field) => threadHas(this.#agent, field)),
      ...(ids ? [{ sql: chosen, values: [JSON.stringify(ids), this.#agent] }] : []),
      ...(status === undefined ? [] : [{ sql: "status = ?", values: [status] }]),
      ...(metadata ? [hasAll("metadata", metadata)] : []),
      ...(values ? [hasAll(`"values"`, values)] : []),
      ...access.map((rest) => passes("metadata", rest)),
    ];
  }
}
