import { z } from "zod";
import { checkpointConfig, command, fields, named, runConfig, timestamp, uuid } from "../agent-schemas.ts";
import { streamModeSchema } from "../engine/stream-mode.ts";

export const runStatus = z.enum(["pending", "running", "error", "success", "timeout", "interrupted"]);
export const multitaskStrategy = z.enum(["reject", "rollback", "interrupt", "enqueue"]);
export const durability = z.enum(["sync", "async", "exit"]);

export const run = named(
  "Run",
  z.object({
    run_id: uuid,
    thread_id: uuid,
    assistant_id: uuid,
    created_at: timestamp,
    updated_at: timestamp,
    status: runStatus,
    metadata: fields,
    kwargs: fields,
    multitask_strategy: multitaskStrategy,
  }),
);

const nodes = z.union([z.literal("*"), z.array(z.string())]);

/** Body fields of everything that starts runs, schedules included. */
export const startFields = {
  metadata: fields.optional(),
  config: runConfig.optional(),
  context: fields.optional(),
  webhook: z.string().min(1).max(65_536).optional(),
  interrupt_before: nodes.optional(),
  interrupt_after: nodes.optional(),
  stream_mode: z.union([streamModeSchema, z.array(streamModeSchema)]).optional(),
  stream_subgraphs: z.boolean().default(false),
  stream_resumable: z.boolean().default(false),
  durability: durability.default("async"),
};

const common = {
  assistant_id: z.string().min(1),
  input: z.unknown().optional(),
  command: command.nullish(),
  ...startFields,
  feedback_keys: z.array(z.string()).optional(),
  after_seconds: z.number().min(0).optional(),
  checkpoint_during: z.boolean().default(false),
  on_disconnect: z.enum(["cancel", "continue"]).default("continue"),
};

const stateful = {
  ...common,
  checkpoint: checkpointConfig.optional(),
  checkpoint_id: z.string().optional(),
  multitask_strategy: multitaskStrategy.default("enqueue"),
  if_not_exists: z.enum(["create", "reject"]).default("reject"),
};
const stateless = { ...common, on_completion: z.enum(["delete", "keep"]).default("delete") };

export const runCreateStateful = named("RunCreateStateful", z.object(stateful));
export const runCreateStateless = named("RunCreateStateless", z.object(stateless));
export const runBatchCreate = named("RunBatchCreate", z.array(runCreateStateless).min(1));

export const runsCancel = named(
  "RunsCancel",
  z.object({
    status: z.enum(["pending", "running", "all"]).optional(),
    thread_id: uuid.optional(),
    run_ids: z.array(uuid).optional(),
  }),
);

/** The parameters of a run. */
export type RunStart = Omit<z.output<typeof runCreateStateful>, "multitask_strategy" | "if_not_exists"> &
  Partial<Pick<z.output<typeof runCreateStateful>, "multitask_strategy" | "if_not_exists">> & {
    on_completion?: "delete" | "keep";
    /** Whether its events are those of the streaming protocol, whose commands set it. */
    event_streaming?: true;
  };
