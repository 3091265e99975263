import { z } from "zod";

/** Names of schemas in the reference (`#/components/schemas/…`). */
export const schemaNames = z.registry<{ id: string }>();

/** Names a schema in the reference. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  schemaNames.add(schema, { id });
  return schema;
}
