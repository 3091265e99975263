import { z } from "zod";

/** One line of a build or deploy log. `timestamp` is in milliseconds since the epoch (some servers send an ISO date). */
export const logEntrySchema = z.looseObject({
  id: z.string().nullish(),
  timestamp: z.union([z.number(), z.string()]).nullish(),
  level: z.string().nullish(),
  message: z.string(),
});
export type LogEntry = z.infer<typeof logEntrySchema>;

export const logQueryOrders = ["asc", "desc"] as const;

/** Body of the log queries. Times are ISO 8601; `offset` is the `next_offset` of the page before. */
export const logsRequestSchema = z.looseObject({
  order: z.enum(logQueryOrders).nullish(),
  query: z.string().nullish(),
  level: z.string().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  limit: z.int().min(1).max(1000).nullish(),
  offset: z.string().nullish(),
});
export type LogsRequest = z.infer<typeof logsRequestSchema>;

/** A page of log lines; `next_offset` is null on the last one. */
export const logsPageSchema = z.looseObject({
  logs: z.array(logEntrySchema),
  next_offset: z.string().nullish(),
});
export type LogsPage = z.infer<typeof logsPageSchema>;
