import { z } from "zod";
import { type Open, openEnum } from "./conventions.ts";
import { sourceRevisionConfigSchema, sourceSchema } from "./deployments.ts";

/** What a status means to a client that waits for the revision. */
export type StatusMeaning = "waiting" | "deployed" | "failed" | "superseded" | "unsettled" | "unknown";

/** The statuses that are known, and what each means. */
const meanings = {
  CREATING: "waiting",
  QUEUED: "waiting",
  AWAITING_BUILD: "waiting",
  BUILDING: "waiting",
  AWAITING_DEPLOY: "waiting",
  DEPLOYING: "waiting",
  CREATE_FAILED: "failed",
  BUILD_FAILED: "failed",
  DEPLOY_FAILED: "failed",
  DEPLOYED: "deployed",
  SKIPPED: "superseded",
  // The service's own clients treat these as transient.
  INTERRUPTED: "unsettled",
  UNKNOWN: "unsettled",
} as const satisfies Record<string, StatusMeaning>;

export const revisionStatuses = Object.keys(meanings) as (keyof typeof meanings)[];
export type RevisionStatus = Open<keyof typeof meanings>;

/** Statuses before there is a build, and so no build log; the platform resolves a branch to a commit in them. */
const beforeBuild: ReadonlySet<string> = new Set(["CREATING", "QUEUED", "AWAITING_BUILD"]);

/** The meaning of a status. Any status that contains FAILED is a failure; a wait outlasts one that isn't known. */
export function meaningOf(status: RevisionStatus): StatusMeaning {
  if (Object.hasOwn(meanings, status)) return meanings[status as keyof typeof meanings];
  return status.includes("FAILED") ? "failed" : "unknown";
}

/** Whether a revision in this status has no build yet. */
export function isBeforeBuild(status: RevisionStatus): boolean {
  return beforeBuild.has(status);
}

/** Whether a revision in this status will never go live. */
export function isFinalFailure(status: RevisionStatus): boolean {
  const meaning = meaningOf(status);
  return meaning === "failed" || meaning === "superseded" || status === "INTERRUPTED";
}

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
