/** A record that something other than a server has changed, so that it can't be read. The message names it, without its values, and says what to do. */
export class DamagedRecordError extends Error {
  override readonly name = "DamagedRecordError";

  /** `fault` is what is wrong with the column. */
  constructor({ table, id, column }: DamagedPlace, fault: string) {
    super(
      `The record ${id} of the table ${table} is damaged: its ${column} ${fault}. Restore the data directory from a copy, or remove the record.`,
    );
  }
}

/** A column of a record. */
export interface DamagedPlace {
  table: string;
  id: string;
  column: string;
}

/** Whether a value has a shape that servers write. */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === "string";
export const isNumber: Shape = (value) => typeof value === "number";
/** Any JSON but `null`, which columns hold as NULL. */
export const isAny: Shape = (value) => value !== null;
export const isObject: Shape = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export const isListOf =
  (entry: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(entry);

/** An object whose fields have these shapes; further ones are of any. */
export const hasFields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isObject(value) &&
    Object.entries(shapes).every(([name, isShape]) => isShape((value as Record<string, unknown>)[name]));

/** The JSON of a column; `place` is called only where it is damaged. @throws {DamagedRecordError} for what isn't JSON, or has another shape. */
export function readJson(text: unknown, isShape: Shape, place: () => DamagedPlace): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text as string);
  } catch {
    throw new DamagedRecordError(place(), "isn't JSON");
  }
  if (isShape(value)) return value;
  throw new DamagedRecordError(place(), "has another shape than a server writes");
}

/** Where a table has JSON. */
export interface JsonColumns {
  readonly table: string;
  /** An expression that names a record. */
  readonly key: string;
  readonly columns: readonly string[];
}

/** Whether a query has failed because a column that it looks into isn't JSON. */
export function isOfMalformedJson(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && error.message.includes("malformed JSON"));
}
