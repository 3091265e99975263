import { z } from "zod";
import { fields, named, paging, sortOrder, timestamp, uuid } from "../agent-schemas.ts";
import { multitaskStrategy, startFields } from "../runs/run-schemas.ts";

const onRunCompleted = z.enum(["delete", "keep"]);
const schedule = {
  schedule: z.string().min(1),
  timezone: z.string().optional(),
  input: z.union([z.array(fields), fields]).optional(),
};

const create = {
  ...schedule,
  end_time: timestamp.optional(),
  assistant_id: z.string().min(1),
  ...startFields,
  enabled: z.boolean().default(true),
};

export const cronCreate = named(
  "CronCreate",
  z.object({ ...create, on_run_completed: onRunCompleted.default("delete") }),
);
export const threadCronCreate = named(
  "ThreadCronCreate",
  z.object({ ...create, multitask_strategy: multitaskStrategy.default("enqueue") }),
);

export const cronPatch = named(
  "CronPatch",
  z.object({
    ...schedule,
    schedule: schedule.schedule.optional(),
    end_time: timestamp.nullish(),
    ...startFields,
    stream_subgraphs: z.boolean().optional(),
    stream_resumable: z.boolean().optional(),
    durability: z.enum(["sync", "async", "exit"]).optional(),
    on_run_completed: onRunCompleted.optional(),
    enabled: z.boolean().optional(),
  }),
);

const filters = { assistant_id: uuid.optional(), thread_id: uuid.optional(), metadata: fields.optional() };

export const cronSearch = named(
  "CronSearch",
  z.object({
    ...filters,
    enabled: z.boolean().optional(),
    ...paging,
    sort_by: z
      .enum(["cron_id", "assistant_id", "thread_id", "next_run_date", "end_time", "created_at", "updated_at"])
      .default("created_at"),
    sort_order: sortOrder.default("desc"),
    select: z
      .array(
        z.enum([
          "cron_id",
          "assistant_id",
          "thread_id",
          "on_run_completed",
          "end_time",
          "schedule",
          "timezone",
          "created_at",
          "updated_at",
          "user_id",
          "payload",
          "next_run_date",
          "metadata",
          "enabled",
        ]),
      )
      .optional(),
  }),
);
export const cronCount = named("CronCountRequest", z.object(filters));

export const cron = named(
  "Cron",
  z.object({
    cron_id: uuid,
    assistant_id: uuid.nullable().optional(),
    thread_id: uuid.nullable(),
    on_run_completed: onRunCompleted.nullable().optional(),
    end_time: timestamp.nullable(),
    schedule: z.string(),
    timezone: z.string().nullable().optional(),
    created_at: timestamp,
    updated_at: timestamp,
    user_id: z.string().nullable().optional(),
    payload: fields,
    next_run_date: timestamp.nullable().optional(),
    metadata: fields.optional(),
    enabled: z.boolean(),
  }),
);
