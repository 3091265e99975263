import type { Database } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import type { Condition } from "./conditions.ts";

/** Maximum length of an indexed field, in characters of JSON. */
const maxLength = 200;

/** Maximum number of fields of a search that use the index; each number is a statement of its own. */
const maxLookedUp = 4;

export type FieldSource = "metadata" | "values";

/** The JSON of a value if it is indexed: a short string, a number, a boolean or `null`. */
function indexedValue(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null) return undefined;
  const text = JSON.stringify(value);
  return text !== undefined && text.length <= maxLength ? text : undefined;
}

/** A field and value that threads must have. */
export interface FieldLookup {
  source: FieldSource;
  name: string;
  value: string;
}

/** Splits the fields of a filter into those that the index covers and the rest. */
export function lookUps(source: FieldSource, wanted: Fields): { indexed: FieldLookup[]; rest: Fields | undefined } {
  const indexed: FieldLookup[] = [];
  const rest: Fields = {};
  for (const [name, value] of Object.entries(wanted)) {
    const text = indexed.length < maxLookedUp ? indexedValue(value) : undefined;
    if (text === undefined) rest[name] = value;
    else indexed.push({ source, name, value: text });
  }
  return { indexed, rest: Object.keys(rest).length > 0 ? rest : undefined };
}

/** The condition that a row of `thread_fields`, given by its alias, has the field and value. */
export function isField(alias: string, agent: number, { source, name, value }: FieldLookup): Condition {
  return {
    sql: `${alias}.agent = ? AND ${alias}.source = ? AND ${alias}.name = ? AND ${alias}.value = ?`,
    values: [agent, source, name, value],
  };
}

/** The condition that a thread has the field and value. `thread` is the column with its sequence. */
export function threadHas(agent: number, field: FieldLookup, thread = "threads.sequence"): Condition {
  const { sql, values } = isField("other", agent, field);
  return { sql: `EXISTS (SELECT 1 FROM thread_fields AS other WHERE ${sql} AND other.thread = ${thread})`, values };
}

/** Removes the indexed fields of a thread, given by its sequence. */
export function removeFields(database: Database, thread: number, source: FieldSource): void {
  database.run("DELETE FROM thread_fields WHERE thread = ? AND source = ?", thread, source);
}

/** Indexes fields of a thread, given by its sequence. */
export function indexFields(
  database: Database,
  agent: number,
  thread: number,
  source: FieldSource,
  fields: Fields | null,
): void {
  for (const [name, value] of Object.entries(fields ?? {})) {
    const text = indexedValue(value);
    if (text === undefined) continue;
    database.run(
      "INSERT INTO thread_fields (agent, source, name, value, thread) VALUES (?, ?, ?, ?, ?)",
      agent,
      source,
      name,
      text,
      thread,
    );
  }
}
