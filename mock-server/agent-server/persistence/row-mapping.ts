import { type JsonColumns, readJson, type Shape } from "../../kit/store/damaged-record.ts";
import type { Row, Value } from "../../kit/store/database.ts";

/** How a column holds a field: as it is, as 1 and 0, or as JSON of a shape, with `NULL` for `null`. */
type Kind = "plain" | "flag" | Shape;

/** How the fields of the records of a table lie in the columns of the same names. */
export class RowMapping<Stored extends object> {
  /** The columns, quoted, separated by commas. */
  readonly columns: string;
  /** A parameter for each column. */
  readonly parameters: string;
  readonly json: JsonColumns;
  readonly #key: readonly string[];
  readonly #kinds: readonly [name: string, kind: Kind][];

  /** `key`: the columns that name a record of an agent server. */
  constructor(
    table: string,
    key: readonly (keyof Stored & string)[],
    kinds: { readonly [Name in keyof Stored]-?: Kind },
  ) {
    this.#key = key;
    this.#kinds = Object.entries<Kind>(kinds);
    this.columns = this.#kinds.map(([name]) => `"${name}"`).join(", ");
    this.parameters = this.#kinds.map(() => "?").join(", ");
    const columns = this.#kinds.flatMap(([name, kind]) => (typeof kind === "function" ? name : []));
    this.json = { table, key: key.join(" || ' ' || "), columns };
  }

  /** The values of the columns, in their order. */
  values(record: Stored): Value[] {
    return this.#kinds.map(([name, kind]) => columnValue(kind, record[name as keyof Stored]));
  }

  /** The columns and values of the fields that are there. */
  some(record: Partial<Stored>): { columns: string; parameters: string; values: Value[] } {
    const given = this.#kinds.filter(([name]) => record[name as keyof Stored] !== undefined);
    return {
      columns: given.map(([name]) => `"${name}"`).join(", "),
      parameters: given.map(() => "?").join(", "),
      values: given.map(([name, kind]) => columnValue(kind, record[name as keyof Stored])),
    };
  }

  /** The record whose columns are at the beginning of a row. @throws {DamagedRecordError} */
  read(row: readonly unknown[]): Stored {
    const record: Row = {};
    for (const [index, [name, kind]] of this.#kinds.entries()) {
      const value = row[index];
      if (kind === "flag") record[name] = value === 1;
      else if (kind === "plain" || value === null) record[name] = value;
      else record[name] = readJson(value, kind, () => ({ table: this.json.table, id: this.#idOf(row), column: name }));
    }
    return record as Stored;
  }

  #idOf(row: readonly unknown[]): string {
    return this.#key.map((name) => row[this.#kinds.findIndex(([column]) => column === name)]).join(" ");
  }
}

function columnValue(kind: Kind, value: unknown): Value {
  if (kind === "flag") return value ? 1 : 0;
  return kind === "plain" || value === null ? (value as Value) : JSON.stringify(value);
}
