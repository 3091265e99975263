import { isAny, isListOf, isText, readJson } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { pageClause } from "../../kit/store/table.ts";
import type { Fields } from "../engine/contract.ts";
import { AgentTable } from "./agent-table.ts";
import { all, type Condition, passes } from "./conditions.ts";
import type { ItemRecord } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";

const isNamespace = isListOf(isText);

const mapping = new RowMapping<ItemRecord>("items", ["namespace", "key"], {
  namespace: isNamespace,
  key: "plain",
  // Graphs may put anything.
  value: isAny,
  created_at: "plain",
  updated_at: "plain",
  ttl: "plain",
  expires_at: "plain",
});

/** What auth handlers filter items by. */
const filteredFields = "json_set(value, '$.namespace', json(namespace), '$.key', key)";

/** The items of an agent server's key-value store that haven't expired, or those of them that access filters leave. */
export class ItemTable extends AgentTable<ItemRecord> {
  readonly #now: () => number;
  readonly #access: readonly Condition[];

  constructor(database: Database, agent: number, now: () => number, accessFilters: readonly Fields[] = []) {
    const access = accessFilters.map((filter) => passes(filteredFields, filter));
    super(database, agent, { table: "items", mapping, access });
    this.#now = now;
    this.#access = access;
  }

  get(namespace: readonly string[], key: string): ItemRecord | undefined {
    this.#removeExpired();
    return this.select([isKey(namespace, key)])[0];
  }

  /** Adds an item, or replaces it but for when it was made. False when there is one that may not be seen. */
  put(record: ItemRecord): boolean {
    this.#removeExpired();
    const { sql, values } = all(this.#access);
    const changed = this.database.run(
      `INSERT INTO items (agent, ${mapping.columns}) VALUES (?, ${mapping.parameters})
        ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, ttl = excluded.ttl,
          expires_at = excluded.expires_at WHERE ${sql}`,
      this.agent,
      ...mapping.values(record),
      ...values,
    );
    return changed > 0;
  }

  expireAt(namespace: readonly string[], key: string, time: number): void {
    const { sql, values } = this.visible(isKey(namespace, key));
    this.database.run(`UPDATE items SET expires_at = ? WHERE ${sql}`, time, ...values);
  }

  remove(namespace: readonly string[], key: string): void {
    this.removeThose(isKey(namespace, key));
  }

  /** The items whose namespaces begin with the labels, the last written first. */
  under(prefix: readonly string[], { limit, offset } = { limit: -1, offset: 0 }): ItemRecord[] {
    this.#removeExpired();
    return this.select([beginsWith(prefix)], `ORDER BY updated_at DESC, sequence DESC ${pageClause}`, limit, offset);
  }

  /** The namespaces that begin with the labels and have items. */
  namespaces(prefix: readonly string[]): string[][] {
    this.#removeExpired();
    const { sql, values } = this.visible(beginsWith(prefix));
    return this.database
      .all<{ namespace: string }>(`SELECT DISTINCT namespace FROM items WHERE ${sql}`, ...values)
      .map(({ namespace }) => {
        const place = () => ({ table: "items", id: namespace, column: "namespace" });
        return readJson(namespace, isNamespace, place) as string[];
      });
  }

  #removeExpired(): void {
    this.database.run("DELETE FROM items WHERE agent = ? AND expires_at <= ?", this.agent, this.#now());
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
