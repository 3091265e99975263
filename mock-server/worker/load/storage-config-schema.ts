import { z } from "zod";

/** A time to live, in minutes: at most a hundred years, so that the expiry is a valid date. */
const lifetime = z
  .number()
  .positive()
  .max(100 * 365 * 24 * 60);

/** Settings of the store. */
export const storeConfig = z.looseObject({
  index: z
    .looseObject({
      dims: z.number().int().positive().optional(),
      embed: z.string().optional(),
      fields: z.array(z.string().min(1)).nullish(),
    })
    .nullish(),
  /** The time to live of items. */
  ttl: z
    .looseObject({
      /** Minutes that items live whose request doesn't say. @default they don't expire */
      default_ttl: lifetime.nullish(),
      /** Whether reading an item restarts its time to live, if the request doesn't say. @default true */
      refresh_on_read: z.boolean().nullish(),
      /** Items expire at multiples of this many minutes. @default at their time */
      sweep_interval_minutes: lifetime.nullish(),
    })
    .nullish(),
});

/** Settings of threads and their checkpoints. */
export const checkpointerConfig = z.looseObject({
  /** The time to live of threads. */
  ttl: z
    .looseObject({
      /** Whether a thread that expires is deleted, or keeps its latest state. @default delete */
      strategy: z.enum(["delete", "keep_latest"]).nullish(),
      /**
       * Minutes that threads live whose request doesn't say; each change of a thread restarts them.
       * @default they don't expire
       */
      default_ttl: lifetime.nullish(),
      /** Threads expire at multiples of this many minutes. @default at their time */
      sweep_interval_minutes: lifetime.nullish(),
      /** Maximum number of threads that expire in one interval. @default all that are due */
      sweep_limit: z.number().int().positive().nullish(),
    })
    .nullish(),
});
