import { type DamagedPlace, readJson, type Shape } from "./damaged-record.ts";
import type { Database, Row, Value } from "./database.ts";

/**
 * How a field of a record is kept: a column of that kind, JSON of a shape, or a list whose entries are the rows of
 * another table.
 */
export type Field = "text" | "number" | "boolean" | Shape | List;

/** A list in a table with the columns `owner`, `position` and those of its entries. */
export interface List {
  readonly table: string;
  /** The column with the id of the record. */
  readonly owner: string;
  /** The fields of the entries, or the one column of entries that are plain values. */
  readonly entries: readonly string[] | string;
}

/** How the records of one kind are kept. Column names are those of the fields in snake case. */
export interface TableShape<Entry> {
  readonly table: string;
  readonly fields: Readonly<Record<keyof Entry & string, Field>>;
  /** Columns that queries need and records don't have. */
  readonly derived?: Readonly<Record<string, (entry: Entry) => Value>>;
  /** The column that grows with every record. @default "position" */
  readonly order?: string;
}

/** Part of an ordered listing. */
export interface Page {
  offset: number;
  limit: number;
}

/**
 * The end of a query for a page: takes its limit and its offset. SQLite prepares a statement again for each value of a
 * bare `LIMIT ?`, but not of an expression.
 */
export const pageClause = "LIMIT ? + 0 OFFSET ? + 0";

/** Records with an id, as rows. What is handed out is a copy. */
export class Table<Entry extends { id: string }> {
  protected readonly database: Database;
  readonly #name: string;
  readonly #fields: readonly (readonly [string, Field])[];
  readonly #encoders: readonly ((entry: Entry) => Value)[];
  readonly #lists: readonly ListStatements[];
  readonly #selection: string;
  readonly #insert: string;
  readonly #update: string;
  readonly #order: string;

  constructor(database: Database, { table, fields, derived = {}, order = "position" }: TableShape<Entry>) {
    this.database = database;
    this.#name = table;
    this.#order = order;
    this.#fields = Object.entries<Field>(fields);
    this.#lists = this.#fields.flatMap(([field, kind]) =>
      typeof kind === "object" ? listStatements(field, kind) : [],
    );
    const scalars = this.#fields.filter(([, kind]) => typeof kind !== "object");
    this.#encoders = [
      ...scalars.map(
        ([field, kind]) =>
          (entry: Entry) =>
            encoded(kind, (entry as Row)[field]),
      ),
      ...Object.values(derived),
    ];
    const columns = [...scalars.map(([field]) => columnOf(field)), ...Object.keys(derived)];
    this.#insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
      ON CONFLICT (id) DO NOTHING`;
    this.#update = `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
    this.#selection = this.#fields
      .map(([field, kind]) => (typeof kind !== "object" ? `${table}.${columnOf(field)}` : listSelection(table, kind)))
      .join(", ");
    const json = this.#fields.flatMap(([field, kind]) => (typeof kind === "function" ? columnOf(field) : []));
    database.describe({ table, key: "id", columns: json });
  }

  get(id: string): Entry | undefined {
    return this.select("WHERE id = ?", id)[0];
  }

  has(id: string): boolean {
    return this.database.get(`SELECT 1 FROM ${this.#name} WHERE id = ?`, id) !== undefined;
  }

  /** Keeps a record, in the place of one with the same id. */
  put(entry: Entry): void {
    this.database.transaction(() => {
      const values = this.#encoders.map((encode) => encode(entry));
      const isNew = this.database.run(this.#insert, ...values) === 1;
      if (!isNew) this.database.run(this.#update, ...values, entry.id);
      for (const { field, clear, fill } of this.#lists) {
        const list = ((entry as Row)[field] ?? []) as readonly unknown[];
        if (!isNew) this.database.run(clear, entry.id);
        if (list.length > 0) this.database.run(fill, entry.id, JSON.stringify(list));
      }
    });
  }

  /** Removes a record with what belongs to it. */
  remove(id: string): void {
    this.database.run(`DELETE FROM ${this.#name} WHERE id = ?`, id);
  }

  clear(): void {
    this.database.run(`DELETE FROM ${this.#name}`);
  }

  /** All records, oldest first. */
  all(): Entry[] {
    return this.find({});
  }

  /** The records whose fields have these values, oldest first. */
  find(wanted: Partial<Entry>): Entry[] {
    const { condition, values } = this.#conditionOf(wanted);
    return this.select(`${condition} ORDER BY ${this.#order}`, ...values);
  }

  /** Whether there is a record whose fields have these values. */
  hasAny(wanted: Partial<Entry>): boolean {
    const { condition, values } = this.#conditionOf(wanted);
    return this.database.get(`SELECT 1 FROM ${this.#name} ${condition} LIMIT 1`, ...values) !== undefined;
  }

  /** A page of the records whose fields have these values, newest first. */
  page(wanted: Partial<Entry>, { offset, limit }: Page): Entry[] {
    const { condition, values } = this.#conditionOf(wanted);
    return this.select(`${condition} ORDER BY ${this.#order} DESC ${pageClause}`, ...values, limit, offset);
  }

  /** The records that the rest of a SELECT statement chooses. */
  protected select(rest: string, ...values: readonly Value[]): Entry[] {
    const rows = this.database.rows(`SELECT ${this.#selection} FROM ${this.#name} ${rest}`, ...values);
    return rows.map((row) => this.#decoded(row));
  }

  #conditionOf(wanted: Partial<Entry>): { condition: string; values: Value[] } {
    const fields = Object.entries(wanted);
    const terms = fields.map(([field]) => `${columnOf(field)} IS ?`);
    return {
      condition: terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`,
      values: fields.map(([, value]) => encoded(typeof value === "boolean" ? "boolean" : "text", value)),
    };
  }

  #decoded(row: readonly unknown[]): Entry {
    const entry: Row = {};
    for (const [index, [field, kind]] of this.#fields.entries()) {
      const value = row[index];
      if (kind === "boolean") entry[field] = value === 1;
      else if (kind === "text" || kind === "number" || value === null) entry[field] = value;
      else if (typeof kind === "object") entry[field] = JSON.parse(value as string);
      else entry[field] = readJson(value, kind, () => this.#placeOf(row, field));
    }
    return entry as unknown as Entry;
  }

  #placeOf(row: readonly unknown[], field: string): DamagedPlace {
    const id = row[this.#fields.findIndex(([name]) => name === "id")];
    return { table: this.#name, id: String(id), column: columnOf(field) };
  }
}

/** The statements that write a list: each takes the id of its record, and the second one the list as JSON. */
interface ListStatements {
  field: string;
  clear: string;
  fill: string;
}

function listStatements(field: string, { table, owner, entries }: List): ListStatements {
  const columns = typeof entries === "string" ? [entries] : entries.map(columnOf);
  const values = typeof entries === "string" ? ["value"] : entries.map((name) => `value ->> '${name}'`);
  return {
    field,
    clear: `DELETE FROM ${table} WHERE ${owner} = ?`,
    fill: `INSERT INTO ${table} (${owner}, position, ${columns.join(", ")}) SELECT ?, key, ${values.join(", ")} FROM json_each(?)`,
  };
}

function listSelection(owning: string, { table, owner, entries }: List): string {
  const entry =
    typeof entries === "string"
      ? entries
      : `json_object(${entries.map((field) => `'${field}', ${columnOf(field)}`).join(", ")})`;
  // In the order of the table's key, which spares sorting.
  return `(SELECT json_group_array(${entry}) FROM (SELECT * FROM ${table} WHERE ${owner} = ${owning}.id ORDER BY position))`;
}

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function encoded(kind: Field, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof kind === "function") return JSON.stringify(value);
  return kind === "boolean" ? Number(value) : (value as Value);
}
