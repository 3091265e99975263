import { hash } from "node:crypto";
import { z } from "zod";

const fields = z.record(z.string(), z.unknown());

/** An assistant of an agent server. */
export const assistantSchema = z.looseObject({
  assistant_id: z.string().min(1),
  graph_id: z.string(),
  context: fields.nullish(),
  metadata: fields.nullish(),
});
export type Assistant = z.infer<typeof assistantSchema>;

/** A cron of an agent server. What its runs are started with is in `payload`. */
export const cronSchema = z.looseObject({
  cron_id: z.string().min(1),
  created_at: z.string(),
  payload: fields.nullish(),
  metadata: fields.nullish(),
});
export type Cron = z.infer<typeof cronSchema>;

/** An item of the store; `null` where there is none. */
export const storeItemSchema = z.looseObject({ value: fields }).nullable();
export type StoreItem = NonNullable<z.infer<typeof storeItemSchema>>;

const urlNamespace = Buffer.from("6ba7b8219dad11d180b400c04fd430c8", "hex");

/**
 * The version 5 UUID of a name, in the namespace that agent servers use: the name of a graph gives the id of its default
 * assistant.
 */
export function uuidOfName(name: string): string {
  const data = hash("sha1", Buffer.concat([urlNamespace, Buffer.from(name)]), "buffer").subarray(0, 16);
  data[6] = ((data[6] as number) & 0x0f) | 0x50;
  data[8] = ((data[8] as number) & 0x3f) | 0x80;
  return data.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
