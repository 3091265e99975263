import { z } from "zod";

/** `schema` for an overlay: nothing is required, and null in the place of any value of a map removes it. */
export function removable(schema: z.ZodType): z.ZodType {
  const description = schema.description;
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  const copy = copyOf(inner);
  return description === undefined ? copy : copy.describe(description);
}

function copyOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodRecord) {
    return z.record(schema.keyType as z.core.$ZodRecordKey, removable(schema.valueType as z.ZodType).nullable());
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    return [name, removable(field).nullable().optional()] as const;
  });
  return z.object(Object.fromEntries(fields)).catchall((schema.def.catchall ?? z.never()) as z.core.$ZodType);
}
