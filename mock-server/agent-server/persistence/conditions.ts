import { isJson, requiredNames } from "../../kit/metadata-filter.ts";
import type { Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";

/** A condition of a SQL statement, and the values of its parameters. */
export interface Condition {
  sql: string;
  values: Value[];
}

/** The conjunction of conditions. */
export function all(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: "TRUE", values: [] };
  return { sql: conditions.map(({ sql }) => sql).join(" AND "), values: conditions.flatMap(({ values }) => values) };
}

const never: Condition = { sql: "FALSE", values: [] };

/** Whether the JSON of a column contains `wanted`, as `contains` of metadata-filter.ts defines it. */
export function hasAll(column: string, wanted: Fields): Condition {
  return isJson(wanted) ? checked(column, fragmentsOf(wanted), `json_has(${column}, ?)`, wanted) : never;
}

/** Whether the JSON of a column passes an access filter, as `passesFilter` defines it. */
export function passes(column: string, filter: Fields): Condition {
  // A value that isn't JSON equals nothing that is stored as JSON.
  if (!isJson(filter)) return never;
  const names = requiredNames(filter).map((name) => ({ text: `${JSON.stringify(name)}:` }));
  return checked(column, names, `passes_filter(${column}, ?)`, filter);
}

/** A piece of text that the JSON must include. */
interface Fragment {
  text: string;
  /** One of these must follow it. */
  ends?: readonly string[];
}

/** Looks for the fragments before the exact check, which costs a hundred times as much. */
function checked(column: string, fragments: readonly Fragment[], check: string, operand: Fields): Condition {
  const found = fragments.map(({ text, ends = [] }): Condition => {
    const either = ends.map(() => `instr(${column}, ?) > 0`).join(" OR ");
    return {
      sql: `instr(${column}, ?) > 0${either ? ` AND (${either})` : ""}`,
      values: [text, ...ends.map((end) => text + end)],
    };
  });
  const { sql, values } = all(found);
  return { sql: `CASE WHEN ${sql} THEN ${check} ELSE FALSE END`, values: [...values, JSON.stringify(operand)] };
}

/** A few fragments of any JSON that contains `wanted`; rare ones are preferred. */
function fragmentsOf(wanted: Fields): Fragment[] {
  const names: Fragment[] = [];
  const plain: Fragment[] = [];
  const collect = (value: unknown, start: string, end: string): void => {
    if (start !== "") names.push({ text: start });
    if (Array.isArray(value)) for (const item of value) collect(item, "", "]");
    else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) collect(item, `${JSON.stringify(name)}:`, "}");
    } else {
      const text = start + JSON.stringify(value);
      // A number can be the prefix of another.
      plain.push(typeof value === "number" ? { text, ends: [",", end] } : { text });
    }
  };
  collect(wanted, "", "");
  return (plain.length > 0 ? plain : names).toSorted((a, b) => b.text.length - a.text.length).slice(0, 2);
}
