import type { Value } from "../../kit/store/database.ts";
import type { Fields } from "../engine/graph.ts";

/** A condition of a statement, and the values of its parameters. */
export interface Condition {
  sql: string;
  values: Value[];
}

/** All of the conditions. */
export function all(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: "TRUE", values: [] };
  return { sql: conditions.map(({ sql }) => sql).join(" AND "), values: conditions.flatMap(({ values }) => values) };
}

/** Whether a column is one of many values. The statement is the same for any number of them. */
export function isOneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

const never: Condition = { sql: "FALSE", values: [] };

/** Whether the JSON of a column has everything that `wanted` has, as `contains` of paging.ts has it. */
export function hasAll(column: string, wanted: Fields): Condition {
  return isJson(wanted) ? checked(column, fragmentsOf(wanted), `json_has(${column}, ?)`, wanted) : never;
}

/** Whether the JSON of a column passes a filter of auth handlers, as `passesFilter` has it. */
export function passes(column: string, filter: Fields): Condition {
  // What isn't JSON equals nothing that is stored as JSON.
  if (!isJson(filter)) return never;
  const names = Object.keys(filter).map((name) => `${JSON.stringify(name)}:`);
  return checked(column, names, `passes_filter(${column}, ?)`, filter);
}

/** Looks for pieces that the JSON must have before the exact check, which costs a hundred times as much. */
function checked(column: string, fragments: readonly string[], check: string, operand: Fields): Condition {
  const [first = "", second = ""] = fragments.toSorted((a, b) => b.length - a.length);
  return {
    sql: `CASE WHEN instr(${column}, ?) > 0 AND instr(${column}, ?) > 0 THEN ${check} ELSE FALSE END`,
    values: [first, second, JSON.stringify(operand)],
  };
}

/** Pieces of text that any JSON has that contains `wanted`. */
function fragmentsOf(wanted: unknown): string[] {
  if (typeof wanted !== "object" || wanted === null) return [JSON.stringify(wanted)];
  if (Array.isArray(wanted)) return wanted.flatMap(fragmentsOf);
  return Object.entries(wanted).flatMap(([name, value]) => {
    const key = `${JSON.stringify(name)}:`;
    return typeof value === "object" && value !== null ? [key, ...fragmentsOf(value)] : [key + JSON.stringify(value)];
  });
}

/** Whether JSON loses nothing of a value. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return ["string", "boolean", "object"].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}
