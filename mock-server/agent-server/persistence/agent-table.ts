import type { Database, Value } from "../../kit/store/database.ts";
import { pageClause } from "../../kit/store/table.ts";
import { all, type Condition } from "./conditions.ts";
import type { Order, Page } from "./page.ts";
import type { RowMapping } from "./row-mapping.ts";

interface AgentTableShape<Stored extends object> {
  table: string;
  mapping: RowMapping<Stored>;
  /** What access filters ask of the rows. */
  access: readonly Condition[];
}

/** The records of one kind of an agent server, or those that access filters leave. */
export abstract class AgentTable<Stored extends object> {
  protected readonly database: Database;
  protected readonly agent: number;
  readonly #shape: AgentTableShape<Stored>;

  constructor(database: Database, agent: number, shape: AgentTableShape<Stored>) {
    this.database = database;
    this.agent = agent;
    this.#shape = shape;
    database.describe(shape.mapping.json);
  }

  /** Removes all of them. */
  clear(): void {
    this.removeThose();
  }

  /** The condition of being one of them, and of the further conditions. */
  protected visible(...conditions: readonly Condition[]): Condition {
    return all([{ sql: "agent = ?", values: [this.agent] }, ...conditions, ...this.#shape.access]);
  }

  /** Those that meet the conditions; `rest` is the end of the query, with parameters for `more`. */
  protected select(conditions: readonly Condition[], rest = "", ...more: readonly Value[]): Stored[] {
    const { table, mapping } = this.#shape;
    const { sql, values } = this.visible(...conditions);
    return this.database
      .rows(`SELECT ${mapping.columns} FROM ${table} WHERE ${sql} ${rest}`, ...values, ...more)
      .map((row) => mapping.read(row));
  }

  protected page(
    conditions: readonly Condition[],
    { by, direction }: Order<string>,
    limit: number,
    offset: number,
  ): Page<Stored> {
    const order = `ORDER BY "${by}" ${direction}, sequence ${direction} ${pageClause}`;
    const rows = this.select(conditions, order, limit, offset);
    // The last page says itself how many there are.
    const isLast = rows.length > 0 && rows.length < limit;
    return { rows, total: isLast ? offset + rows.length : this.total(conditions) };
  }

  protected total(conditions: readonly Condition[]): number {
    const { sql, values } = this.visible(...conditions);
    const query = `SELECT count(*) AS total FROM ${this.#shape.table} WHERE ${sql}`;
    return (this.database.get<{ total: number }>(query, ...values) as { total: number }).total;
  }

  protected removeThose(...conditions: readonly Condition[]): void {
    const { sql, values } = this.visible(...conditions);
    this.database.run(`DELETE FROM ${this.#shape.table} WHERE ${sql}`, ...values);
  }
}
