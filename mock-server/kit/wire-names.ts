import { z } from "zod";

export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Fields whose values have keys chosen by users, or operations or statuses as keys. */
const verbatimFields: ReadonlySet<string> = new Set(["body", "headers", "durations", "byOperation", "byStatus"]);

/** A copy of a value with snake_case field names at every depth. */
export function toWireNames(value: unknown): unknown {
  return renamed(value, snakeCase);
}

/** The opposite of {@link toWireNames}. */
export function fromWireNames<Value>(value: unknown): Value {
  return renamed(value, camelCase) as Value;
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, rename));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    return [rename(name), verbatimFields.has(camelCase(name)) ? field : renamed(field, rename)];
  });
  return Object.fromEntries(fields);
}

/** The schema with its own fields in snake_case. */
export function underWireNames<Schema extends z.ZodObject>(schema: Schema): z.ZodType<z.output<Schema>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [snakeCase(name), field]);
  const wire = z.strictObject(Object.fromEntries(fields) as z.ZodRawShape);
  return wire.transform((read) =>
    Object.fromEntries(Object.entries(read).map(([name, field]) => [camelCase(name), field])),
  ) as unknown as z.ZodType<z.output<Schema>>;
}
