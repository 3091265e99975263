import type { Row, Value } from "../../kit/store/database.ts";

/** How a column stores a field: unchanged, as JSON with `NULL` for `null`, or as 1 and 0. */
type Kind = "plain" | "json" | "flag";

/** Maps the fields of a record to columns of the same names. */
export class RowMapping<Stored extends object> {
  /** The columns, quoted and separated by commas. */
  readonly columns: string;
  /** One parameter for each column. */
  readonly parameters: string;
  readonly #kinds: readonly [name: string, kind: Kind][];

  constructor(kinds: { readonly [Name in keyof Stored]-?: Kind }) {
    this.#kinds = Object.entries<Kind>(kinds);
    this.columns = this.#kinds.map(([name]) => `"${name}"`).join(", ");
    this.parameters = this.#kinds.map(() => "?").join(", ");
  }

  /** The values, in the order of the columns. */
  values(record: Stored): Value[] {
    return this.#kinds.map(([name, kind]) => columnValue(kind, record[name as keyof Stored]));
  }

  /** Columns and values of the fields that are present. */
  some(record: Partial<Stored>): { columns: string; parameters: string; values: Value[] } {
    const given = this.#kinds.filter(([name]) => record[name as keyof Stored] !== undefined);
    return {
      columns: given.map(([name]) => `"${name}"`).join(", "),
      parameters: given.map(() => "?").join(", "),
      values: given.map(([name, kind]) => columnValue(kind, record[name as keyof Stored])),
    };
  }

  /** The record in the first columns of a row. */
  read(row: readonly unknown[]): Stored {
    const record: Row = {};
    for (const [index, [name, kind]] of this.#kinds.entries()) {
      const value = row[index];
      if (kind === "flag") record[name] = value === 1;
      else record[name] = kind === "plain" || value === null ? value : JSON.parse(value as string);
    }
    return record as Stored;
  }
}

function columnValue(kind: Kind, value: unknown): Value {
  if (kind === "flag") return value ? 1 : 0;
  return kind === "plain" || value === null ? (value as Value) : JSON.stringify(value);
}
