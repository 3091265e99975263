import { z } from "zod";
import {
  errorDetailSchema,
  httpValidationErrorSchema,
  openEnum,
  toBothNames,
} from "../../core/client/wire/conventions.ts";
import {
  deploymentSchema,
  deploymentStatuses,
  deploymentTypes,
  secretReferenceSchema,
  secretSchema,
  sourceConfigSchema,
  sourceRevisionConfigSchema,
} from "../../core/client/wire/deployments.ts";
import { logEntrySchema, logsPageSchema, logsRequestSchema, revisionSchema } from "../../core/client/wire/revisions.ts";
import { serverResourceSpecSchema } from "./resource-spec-schema.ts";
import { named } from "./schema-names.ts";

const bothConfigPaths = toBothNames({ graph_config_path: sourceRevisionConfigSchema.shape.graph_config_path }) as {
  graph_config_path: z.ZodOptional<z.ZodNullable<z.ZodString>>;
};

export const secret = named("Secret", secretSchema);
const secretReference = named("SecretReference", secretReferenceSchema);
const resourceSpec = named("ResourceSpec", serverResourceSpecSchema);

const sourceConfigRequest = named(
  "SourceConfigRequest",
  z.object({
    ...sourceConfigSchema.shape,
    deployment_type: z.enum(deploymentTypes).nullish(),
    resource_spec: resourceSpec.nullish(),
  }),
);

const sourceRevisionConfigRequest = named(
  "SourceRevisionConfigRequest",
  z.object({ ...sourceRevisionConfigSchema.omit({ repo_commit_sha: true }).shape, ...bothConfigPaths }),
);

/** Sources of new deployments. */
const creatableSources = ["github", "external_docker", "internal_docker", "internal_source"] as const;
/** Sources of a single revision, instead of the deployment's source. */
const revisionSources = ["github", "internal_docker", "internal_source"] as const;

export const deploymentCreateRequest = named(
  "DeploymentCreateRequest",
  z.object({
    name: z.string(),
    source: z.enum(creatableSources),
    source_config: sourceConfigRequest,
    source_revision_config: sourceRevisionConfigRequest,
    secrets: z.array(secret),
    secret_references: z.array(secretReference).nullish(),
    display_name: z.string().nullish(),
  }),
);
export type CreateBody = z.infer<typeof deploymentCreateRequest>;

export const deploymentPatchRequest = named(
  "DeploymentPatchRequest",
  z.object({
    revision_source: z.enum(revisionSources).nullish(),
    display_name: z.string().nullish(),
    source_config: sourceConfigRequest.nullish(),
    source_revision_config: sourceRevisionConfigRequest.nullish(),
    secrets: z.array(secret).nullish(),
    secret_references: z.array(secretReference).nullish(),
    /** Dependencies that newer clients report; without effect here. */
    tracked_packages: z.array(z.string()).nullish(),
  }),
);
export type PatchBody = z.infer<typeof deploymentPatchRequest>;

const sourceConfigResponse = named(
  "SourceConfig",
  sourceConfigSchema.extend({ resource_spec: resourceSpec.nullish() }),
);

const sourceRevisionConfigResponse = named("SourceRevisionConfig", sourceRevisionConfigSchema.extend(bothConfigPaths));

export const deploymentResponse = named(
  "Deployment",
  deploymentSchema.extend({
    source_config: sourceConfigResponse,
    source_revision_config: sourceRevisionConfigResponse,
    secrets: z.array(secret),
    secret_references: z.array(secretReference).nullish(),
    tenant_id: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    status: openEnum(deploymentStatuses),
    latest_revision_id: z.string().nullable(),
    active_revision_id: z.string().nullable(),
  }),
);
export type DeploymentBody = z.infer<typeof deploymentResponse>;

export const revisionResponse = named(
  "Revision",
  revisionSchema.extend({
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    source_revision_config: sourceRevisionConfigResponse,
  }),
);
export type RevisionBody = z.infer<typeof revisionResponse>;

export const deploymentsListResponse = named(
  "DeploymentsList",
  z.looseObject({ resources: z.array(deploymentResponse), offset: z.int() }),
);
export const revisionsListResponse = named(
  "RevisionsList",
  z.looseObject({ resources: z.array(revisionResponse), offset: z.int() }),
);

export const deletionsResponse = named(
  "DeletionResults",
  z.object({
    results: z.array(z.object({ deployment_id: z.string(), status: z.int(), detail: z.string().optional() })),
  }),
);

export const pushTokenResponse = named("PushToken", z.object({ token: z.string(), registry_url: z.string() }));

/** Capabilities that newer clients send with a request for a push token. */
export const pushTokenRequest = named(
  "PushTokenRequest",
  z.object({ supports_registry_username: z.boolean().nullish() }),
);
/** Capabilities that newer clients send with a request for an upload URL. */
export const uploadUrlRequest = named("UploadUrlRequest", z.object({ supports_upload_headers: z.boolean().nullish() }));
export const uploadUrlResponse = named(
  "UploadUrl",
  z.object({
    upload_url: z.string(),
    object_path: z.string(),
    upload_headers: z.record(z.string(), z.string()).optional(),
  }),
);

export const logsRequest = named("LogsRequest", z.object(logsRequestSchema.shape));
export const logsResponse = named(
  "LogsPage",
  logsPageSchema.extend({
    logs: z.array(
      logEntrySchema.extend({ id: z.string(), timestamp: z.int(), level: z.string(), message: z.string() }),
    ),
    next_offset: z.string().nullable(),
  }),
);

export const errorDetail = named("ErrorDetail", errorDetailSchema);
export const httpValidationError = named("HTTPValidationError", httpValidationErrorSchema);
