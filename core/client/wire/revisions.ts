import { z } from "zod";
import { type Open, openEnum } from "./conventions.ts";
import { sourceRevisionConfigSchema, sourceSchema } from "./deployments.ts";

export const revisionStatuses = [
  "CREATING",
  "QUEUED",
  "AWAITING_BUILD",
  "BUILDING",
  "AWAITING_DEPLOY",
  "DEPLOYING",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "DEPLOYED",
  "SKIPPED",
  "INTERRUPTED",
  "UNKNOWN",
] as const;
export type RevisionStatus = Open<(typeof revisionStatuses)[number]>;

/** One build and deploy of a deployment's source. */
export const revisionSchema = z.looseObject({
  id: z.string().min(1),
  created_at: z.string(),
  updated_at: z.string(),
  status: openEnum(revisionStatuses),
  source: sourceSchema,
  source_revision_config: sourceRevisionConfigSchema,
});
export type Revision = z.infer<typeof revisionSchema>;

/** One page of revisions, latest first. */
export const revisionsListSchema = z.looseObject({ resources: z.array(revisionSchema), offset: z.int() });

/**
 * One line of a build or deploy log. `timestamp` is in milliseconds since the epoch (some servers send an ISO date).
 */
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
