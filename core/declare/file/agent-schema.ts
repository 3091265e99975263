import { z } from "zod";

/** A text with at least one character. */
export const filledText = z.string().min(1);
const freeMap = z.record(z.string(), z.unknown());

const runConfig = z.looseObject({
  tags: z.array(z.string()).optional().describe("Tags of the runs."),
  recursion_limit: z.int().optional().describe("How many steps a run may take."),
  configurable: freeMap.optional().describe("Values that the graph reads from its config."),
});

const nodes = z.union([z.literal("*"), z.array(z.string())], "must be * or a list of names of nodes");
const streamModes = [
  ...(["values", "messages", "messages-tuple", "tasks", "checkpoints"] as const),
  ...(["updates", "events", "debug", "custom"] as const),
] as const;
const streamMode = z.enum(streamModes);

/** An assistant of the agent server. Its name is its key in the file. */
export const assistantSchema = z.strictObject({
  graph_id: filledText.describe("Name of the graph."),
  assistant_id: z.guid().optional().describe("Its UUID. Without one, the agent server makes one."),
  description: z.string().optional().describe("Shown beside the name."),
  config: runConfig.optional().describe("Config of its runs."),
  context: freeMap.optional().describe("Values for the graph's context schema."),
  metadata: freeMap.optional().describe("Metadata to search by."),
});

/** Periodic runs. Their key in the file names them for overlays and messages. */
export const cronSchema = z.strictObject({
  schedule: filledText.describe("When it runs, as a cron expression."),
  assistant_id: filledText.describe(
    "Name of a graph, name of an assistant in this deployment, or UUID of an assistant.",
  ),
  timezone: filledText.optional().describe("IANA time zone of the schedule; UTC without one."),
  end_time: z.iso.datetime({ offset: true }).optional().describe("When it stops."),
  enabled: z.boolean().optional().describe("Whether it runs at all."),
  input: z
    .union([z.array(freeMap), freeMap], "must be a map or a list of maps")
    .optional()
    .describe("Input of each run."),
  metadata: freeMap.optional().describe("Metadata of the cron."),
  config: runConfig.optional().describe("Config of each run."),
  context: freeMap.optional().describe("Context of each run."),
  webhook: filledText.optional().describe("URL that is called when a run has ended."),
  interrupt_before: nodes.optional().describe("Nodes to stop before."),
  interrupt_after: nodes.optional().describe("Nodes to stop after."),
  on_run_completed: z.enum(["delete", "keep"]).optional().describe("What becomes of the run's thread."),
  stream_mode: z
    .union([streamMode, z.array(streamMode)], `must be one or a list of ${streamModes.join(", ")}`)
    .optional()
    .describe("What its event streams carry."),
  stream_subgraphs: z.boolean().optional().describe("Whether streams carry the output of subgraphs."),
  stream_resumable: z.boolean().optional().describe("Whether a stream can be joined again."),
  durability: z.enum(["sync", "async", "exit"]).optional().describe("When checkpoints are written."),
});

/** An item of the agent server's store. */
export const storeItemSchema = z.strictObject({
  namespace: z.array(filledText).min(1).describe("Path of names that the item is kept under."),
  key: filledText.describe("Its key in the namespace."),
  value: freeMap.describe("What is kept."),
  index: z
    .union([z.literal(false), z.array(z.string())], "must be false or a list of paths")
    .optional()
    .describe("Paths of the value to index for search; false for none."),
  ttl: z.number().positive().optional().describe("How long it is kept, in minutes."),
});
