import { z } from "zod";

/** Names of the schemas in the reference (`#/components/schemas/…`). */
export const schemaNames = z.registry<{ id: string }>();

/** Gives a schema its name in the reference. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  schemaNames.add(schema, { id });
  return schema;
}
