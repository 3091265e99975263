import { z } from "zod";
import { type Open, openEnum } from "./open-enum.ts";
import { sourceRevisionConfigSchema, sourceSchema } from "./source-config.ts";

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
