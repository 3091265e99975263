import { z } from "zod";

/** Names of schemas in the reference. */
export const agentSchemaNames = z.registry<{ id: string }>();

export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  agentSchemaNames.add(schema, { id });
  return schema;
}

export const fields = z.record(z.string(), z.unknown());
export const uuid = z.guid();
export const timestamp = z.iso.datetime({ offset: true });

export const errorResponse = named("ErrorResponse", z.object({ detail: z.string() }));

export const notFound = { description: "The resource doesn't exist.", schema: errorResponse };
export const conflict = { description: "The resource exists already, or is in use.", schema: errorResponse };
export const invalid = { description: "A part of the request is missing or invalid.", schema: errorResponse };

/** A time to live, in minutes: at most a hundred years, so that the expiry is a valid date. */
export const lifetime = z
  .number()
  .positive()
  .max(100 * 365 * 24 * 60);

/** Body fields of paged searches. */
export const paging = {
  limit: z.int().min(1).max(1000).default(10),
  offset: z.int().min(0).default(0),
};

export const sortOrder = z.enum(["asc", "desc"]);

/** A reference to a checkpoint of a thread. */
export const checkpointConfig = named(
  "CheckpointConfig",
  z.object({
    thread_id: z.string().optional(),
    checkpoint_ns: z.string().optional(),
    checkpoint_id: z.string().optional(),
    checkpoint_map: fields.nullish(),
  }),
);

/** What configures a run. Of its names that choose a checkpoint, a value that isn't text would fail in the library. */
const configurable = fields.superRefine((given, context) => {
  for (const name of ["checkpoint_id", "checkpoint_ns"]) {
    const value = given[name] ?? "";
    if (typeof value === "string") continue;
    context.addIssue({ code: "invalid_type", expected: "string", input: value, path: [name] });
  }
});

export const runConfig = named(
  "Config",
  z.looseObject({
    tags: z.array(z.string()).optional(),
    recursion_limit: z.int().optional(),
    configurable: configurable.optional(),
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
