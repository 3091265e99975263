import type { Database } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import { all, type Condition, passes } from "./conditions.ts";
import type { ItemRecord } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";

const mapping = new RowMapping<ItemRecord>({
  namespace: "json",
  key: "plain",
  value: "json",
  created_at: "plain",
  updated_at: "plain",
  ttl: "plain",
  expires_at: "plain",
});

/** What auth handlers filter items by. */
const filteredFields = "json_set(value, '$.namespace', json(namespace), '$.key', key)";

/** The items of an agent server's key-value store that haven't expired, or those of them that access filters leave. */
export class ItemTable {
  readonly #database: Database;
  readonly #agent: number;
  readonly #now: () => number;
  readonly #accessFilters: readonly Fields[];

  constructor(database: Database, agent: number, now: () => number, accessFilters: readonly Fields[] = []) {
    this.#database = database;
    this.#agent = agent;
    this.#now = now;
    this.#accessFilters = accessFilters;
  }

  get(namespace: readonly string[], key: string): ItemRecord | undefined {
    this.#removeExpired();
    const { sql, values } = this.#visible(isKey(namespace, key));
    const row = this.#database.get(`SELECT ${mapping.columns} FROM items WHERE ${sql}`, ...values);
    return row && mapping.read(row);
  }

  /** Adds an item, or replaces it but for when it was made. False when there is one that may not be seen. */
  put(record: ItemRecord): boolean {
    this.#removeExpired();
    const { sql, values } = all(this.#accessConditions());
    const changed = this.#database.run(
      `INSERT INTO items (agent, ${mapping.columns}) VALUES (?, ${mapping.parameters})
        ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, ttl = excluded.ttl,
          expires_at = excluded.expires_at WHERE ${sql}`,
      this.#agent,
      ...mapping.values(record),
      ...values,
    );
    return changed > 0;
  }

  expireAt(namespace: readonly string[], key: string, time: number): void {
    const { sql, values } = this.#visible(isKey(namespace, key));
    this.#database.run(`UPDATE items SET expires_at = ? WHERE ${sql}`, time, ...values);
  }

  remove(namespace: readonly string[], key: string): void {
    const { sql, values } = this.#visible(isKey(namespace, key));
    this.#database.run(`DELETE FROM items WHERE ${sql}`, ...values);
  }

  /** Removes all of them. */
  clear(): void {
    const { sql, values } = this.#visible();
    this.#database.run(`DELETE FROM items WHERE ${sql}`, ...values);
  }

  /** The items whose namespaces begin with the labels, the last written first. */
  under(prefix: readonly string[], page?: { limit: number; offset: number }): ItemRecord[] {
    this.#removeExpired();
    const { sql, values } = this.#visible(beginsWith(prefix));
    return this.#database
      .all(
        `SELECT ${mapping.columns} FROM items WHERE ${sql} ORDER BY updated_at DESC, sequence DESC LIMIT ? OFFSET ?`,
        ...values,
        page?.limit ?? -1,
        page?.offset ?? 0,
      )
      .map((row) => mapping.read(row));
  }

  /** The namespaces that begin with the labels and have items. */
  namespaces(prefix: readonly string[]): string[][] {
    this.#removeExpired();
    const { sql, values } = this.#visible(beginsWith(prefix));
    return this.#database
      .all<{ namespace: string }>(`SELECT DISTINCT namespace FROM items WHERE ${sql}`, ...values)
      .map(({ namespace }) => JSON.parse(namespace));
  }

  #removeExpired(): void {
    this.#database.run("DELETE FROM items WHERE agent = ? AND expires_at <= ?", this.#agent, this.#now());
  }

  #accessConditions(): Condition[] {
    return this.#accessFilters.map((filter) => passes(filteredFields, filter));
  }

  #visible(...conditions: Condition[]): Condition {
    return all([{ sql: "agent = ?", values: [this.#agent] }, ...conditions, ...this.#accessConditions()]);
  }
}

function isKey(namespace: readonly string[], key: string): Condition {
  return { sql: "namespace = ? AND key = ?", values: [JSON.stringify(namespace), key] };
}

/** Namespaces are kept as JSON: `["a","b"]` and all that begins with `["a","b",` begin with a and b. */
function beginsWith(prefix: readonly string[]): Condition {
  if (prefix.length === 0) return { sql: "TRUE", values: [] };
  const start = JSON.stringify(prefix).slice(0, -1);
  // What follows a comma in the order of characters is a hyphen.
  return {
    sql: "(namespace = ? OR namespace >= ? AND namespace < ?)",
    values: [`${start}]`, `${start},`, `${start}-`],
  };
}
