import { z } from "zod";
import { openEnum } from "./open-enum.ts";
import {
  secretReferenceSchema,
  secretSchema,
  sourceConfigSchema,
  sourceRevisionConfigSchema,
  sourceSchema,
} from "./source-config.ts";

export const deploymentStatuses = [
  "AWAITING_DATABASE",
  "READY",
  "UNUSED",
  "AWAITING_DELETE",
  "AWAITING_FINAL_DELETE",
  "UNKNOWN",
] as const;

/**
 * A deployment as a client reads it. What a client can't do without is required; the rest may be missing on older servers.
 * `source_revision_config` mirrors the latest revision. Environment entries come back in `secrets`, sometimes masked.
 */
export const deploymentSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  source: sourceSchema,
  source_config: sourceConfigSchema,
  source_revision_config: sourceRevisionConfigSchema,
  secrets: z.array(secretSchema).nullish(),
  secret_references: z.array(secretReferenceSchema).nullish(),
  display_name: z.string().nullish(),
  tenant_id: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  status: openEnum(deploymentStatuses).nullish(),
  latest_revision_id: z.string().nullish(),
  active_revision_id: z.string().nullish(),
  image_version: z.string().nullish(),
});
export type Deployment = z.infer<typeof deploymentSchema>;

export const deploymentsListSchema = z.looseObject({ resources: z.array(deploymentSchema), offset: z.int() });

export const deploymentCreateRequestSchema = z.looseObject({
  name: z.string(),
  source: sourceSchema,
  source_config: sourceConfigSchema,
  source_revision_config: sourceRevisionConfigSchema,
  secrets: z.array(secretSchema),
  secret_references: z.array(secretReferenceSchema).nullish(),
});
export type DeploymentCreateRequest = z.infer<typeof deploymentCreateRequestSchema>;

/** Every field is optional; null means unchanged. `display_name` is accepted here and nowhere else. */
export const deploymentPatchRequestSchema = z.looseObject({
  revision_source: sourceSchema.nullish(),
  display_name: z.string().nullish(),
  source_config: sourceConfigSchema.nullish(),
  source_revision_config: sourceRevisionConfigSchema.nullish(),
  secrets: z.array(secretSchema).nullish(),
  secret_references: z.array(secretReferenceSchema).nullish(),
});
export type DeploymentPatchRequest = z.infer<typeof deploymentPatchRequestSchema>;
