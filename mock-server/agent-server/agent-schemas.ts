import { z } from "zod";

/** The names that schemas have in the reference. */
export const agentSchemaNames = z.registry<{ id: string }>();

export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  agentSchemaNames.add(schema, { id });
  return schema;
}

export const fields = z.record(z.string(), z.unknown());
export const uuid = z.guid();
export const timestamp = z.iso.datetime({ offset: true });

export const errorResponse = named("ErrorResponse", z.object({ detail: z.string() }));

export const notFound = { description: "There is no such thing here.", schema: errorResponse };
export const conflict = { description: "It is there already, or in use.", schema: errorResponse };
export const invalid = { description: "A part of the request is missing or of the wrong kind.", schema: errorResponse };

/** How long something lives, in minutes: a hundred years at most, since a date has an end. */
export const lifetime = z
  .number()
  .positive()
  .max(100 * 365 * 24 * 60);

/** The fields of every search that pages. */
export const paging = {
  limit: z.int().min(1).max(1000).default(10),
  offset: z.int().min(0).default(0),
};

export const sortOrder = z.enum(["asc", "desc"]);

/** Where in a thread's history something is. */
export const checkpointConfig = named(
  "CheckpointConfig",
  z.object({
    thread_id: z.string().optional(),
    checkpoint_ns: z.string().optional(),
    checkpoint_id: z.string().optional(),
    checkpoint_map: fields.nullish(),
  }),
);

export const runConfig = named(
  "Config",
  z.looseObject({
    tags: z.array(z.string()).optional(),
    recursion_limit: z.int().optional(),
    configurable: fields.optional(),
  }),
);

const destination = z.union([named("Send", z.object({ node: z.string(), input: z.unknown() })), z.string()]);

export const command = named(
  "Command",
  z.object({
    update: z.union([fields, z.array(z.unknown())]).nullish(),
    resume: z.unknown().optional(),
    goto: z.union([destination, z.array(destination)]).nullish(),
  }),
);
