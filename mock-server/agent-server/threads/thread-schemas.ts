import { z } from "zod";
import {
  checkpointConfig,
  command,
  fields,
  lifetime,
  named,
  paging,
  sortOrder,
  timestamp,
  uuid,
} from "../agent-schemas.ts";

export const threadStatus = z.enum(["idle", "busy", "interrupted", "error"]);
const ttlStrategy = z.enum(["delete", "keep_latest"]);

export const interrupt = named("Interrupt", z.object({ id: z.string().nullable().optional(), value: z.unknown() }));

export const thread = named(
  "Thread",
  z.object({
    thread_id: uuid,
    created_at: timestamp,
    updated_at: timestamp,
    state_updated_at: timestamp.optional(),
    metadata: fields,
    config: fields.optional(),
    status: threadStatus,
    values: fields.nullish(),
    interrupts: fields.optional(),
    error: fields.optional(),
    ttl: z.object({ strategy: ttlStrategy, ttl_minutes: z.number(), expires_at: timestamp }).optional(),
    extracted: fields.optional(),
  }),
);

/** A number is short for minutes until deletion. */
const ttl = z.union([z.object({ strategy: ttlStrategy.default("delete"), ttl: lifetime.optional() }), lifetime]);

const stateUpdate = z.union([fields, z.array(z.unknown())]);

export const threadCreate = named(
  "ThreadCreate",
  z.object({
    thread_id: uuid.optional(),
    metadata: fields.optional(),
    if_exists: z.enum(["raise", "do_nothing"]).default("raise"),
    ttl: ttl.optional(),
    supersteps: z
      .array(
        z.object({
          updates: z.array(
            named(
              "ThreadSuperstepUpdate",
              z.object({ values: stateUpdate.nullish(), command: command.nullish(), as_node: z.string() }),
            ),
          ),
        }),
      )
      .optional(),
  }),
);

export const threadPatch = named("ThreadPatch", z.object({ metadata: fields.optional(), ttl: ttl.optional() }));

const filters = { metadata: fields.optional(), values: fields.optional(), status: threadStatus.optional() };

export const threadSearch = named(
  "ThreadSearchRequest",
  z.object({
    ids: z.array(uuid).optional(),
    ...filters,
    ...paging,
    sort_by: z.enum(["thread_id", "status", "created_at", "updated_at", "state_updated_at"]).optional(),
    sort_order: sortOrder.optional(),
    select: z
      .array(
        z.enum([
          "thread_id",
          "created_at",
          "updated_at",
          "state_updated_at",
          "metadata",
          "config",
          "status",
          "values",
          "interrupts",
        ]),
      )
      .optional(),
    extract: z.record(z.string(), z.string()).optional(),
  }),
);

export const threadCount = named("ThreadCountRequest", z.object(filters));

export const threadPrune = named(
  "ThreadPruneRequest",
  z.object({ thread_ids: z.array(uuid), strategy: ttlStrategy.default("delete") }),
);
export const threadPruneResponse = named("ThreadPruneResponse", z.object({ pruned_count: z.int() }));

export const threadState = named(
  "ThreadState",
  z.object({
    values: z.union([fields, z.array(fields)]),
    next: z.array(z.string()),
    tasks: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        error: z.string().nullable().optional(),
        interrupts: z.array(interrupt).optional(),
        checkpoint: checkpointConfig.nullable().optional(),
        state: fields.nullable().optional(),
      }),
    ),
    checkpoint: checkpointConfig.nullable(),
    metadata: fields.optional(),
    created_at: z.string().nullable(),
    parent_checkpoint: fields.nullable().optional(),
    interrupts: z.array(interrupt).optional(),
  }),
);

export const stateAtCheckpoint = named(
  "ThreadStateCheckpointRequest",
  z.object({ checkpoint: checkpointConfig, subgraphs: z.boolean().optional() }),
);

export const historySearch = named(
  "ThreadStateSearch",
  z.object({
    limit: z.int().min(1).max(1000).default(10),
    before: z.union([z.object({ configurable: checkpointConfig }), checkpointConfig, z.string()]).optional(),
    metadata: fields.optional(),
    checkpoint: checkpointConfig.optional(),
    select: z.array(z.string()).optional(),
  }),
);

export const threadStateUpdate = named(
  "ThreadStateUpdate",
  z.object({
    values: stateUpdate.nullish(),
    checkpoint: checkpointConfig.optional(),
    checkpoint_id: z.string().optional(),
    as_node: z.string().optional(),
  }),
);

export const threadStatePatch = named("ThreadStatePatch", z.object({ metadata: fields }));

export const threadStateUpdateResponse = named("ThreadStateUpdateResponse", z.object({ checkpoint: fields }));
