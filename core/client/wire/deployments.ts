import { z } from "zod";
import { openEnum } from "./conventions.ts";

/** Where a deployment's code comes from. `internal_template` is read-only. */
export const sources = [
  "github",
  "external_docker",
  "internal_docker",
  "internal_source",
  "internal_template",
] as const;
/** What a program may declare; the platform's own template can only be read. */
export type KnownSource = Exclude<(typeof sources)[number], "internal_template">;
export const sourceSchema = openEnum(sources);

export const deploymentTypes = ["dev_free", "dev", "prod", "dev_zero", "dev_free_zero"] as const;
export type KnownDeploymentType = (typeof deploymentTypes)[number];
export const deploymentTypeSchema = openEnum(deploymentTypes);

/**
 * The compute resources of a deployment. A PATCH replaces them as a whole. Fields that aren't listed (volumes, sidecars
 * …) pass through unchanged.
 */
export const resourceSpecSchema = z.looseObject({
  min_scale: z.int().nullish(),
  max_scale: z.int().nullish(),
  /** Cores of one replica, 0.1 to 8. */
  cpu: z.number().min(0.1).max(8).nullish(),
  /** Cores, 0.1 to 16. */
  cpu_limit: z.number().min(0.1).max(16).nullish(),
  memory_mb: z.int().nullish(),
  memory_limit_mb: z.int().nullish(),
  queue_min_scale: z.int().nullish(),
  queue_max_scale: z.int().nullish(),
  queue_cpu: z.number().min(0.1).max(8).nullish(),
  queue_cpu_limit: z.number().min(0.1).max(16).nullish(),
  queue_memory_mb: z.int().nullish(),
  queue_memory_limit_mb: z.int().nullish(),
  redis_cpu: z.number().min(0.1).max(8).nullish(),
  redis_cpu_limit: z.number().min(0.1).max(16).nullish(),
  redis_memory_mb: z.int().nullish(),
  redis_memory_limit_mb: z.int().nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
  service_account_name: z.string().nullish(),
  db_cpu: z.number().nullish(),
  db_cpu_limit: z.number().nullish(),
  db_memory_mb: z.int().nullish(),
  db_memory_limit_mb: z.int().nullish(),
  db_storage_gi: z.int().nullish(),
  db_max_connections: z.int().nullish(),
});

export const listenerConfigSchema = z.looseObject({ k8s_namespace: z.string().nullish() });

/** The part of a deployment's source that needs no new revision, or can't change at all. */
export const sourceConfigSchema = z.looseObject({
  integration_id: z.string().nullish(),
  repo_url: z.string().nullish(),
  deployment_type: deploymentTypeSchema.nullish(),
  build_on_push: z.boolean().nullish(),
  custom_url: z.string().nullish(),
  resource_spec: resourceSpecSchema.nullish(),
  listener_id: z.string().nullish(),
  listener_config: listenerConfigSchema.nullish(),
  install_command: z.string().nullish(),
  build_command: z.string().nullish(),
  template_id: z.string().nullish(),
});
export type SourceConfig = z.infer<typeof sourceConfigSchema>;

/** The part of a source whose change makes a new revision. On a deployment it has the latest revision's values. */
export const sourceRevisionConfigSchema = z.looseObject({
  repo_ref: z.string().nullish(),
  graph_config_path: z.string().nullish(),
  image_uri: z.string().nullish(),
  source_tarball_path: z.string().nullish(),
  repo_commit_sha: z.string().nullish(),
});
export type SourceRevisionConfig = z.infer<typeof sourceRevisionConfigSchema>;

export const secretSchema = z.object({ name: z.string(), value: z.string() });
export type Secret = z.infer<typeof secretSchema>;

/** An environment variable filled from a Kubernetes Secret (`external_docker` only). */
export const secretReferenceSchema = z.object({ name: z.string(), secret_name: z.string(), secret_key: z.string() });
export type SecretReference = z.infer<typeof secretReferenceSchema>;

/** Whether a value stands for one that the platform hides. It can't show whether the value has changed. */
export function isMasked(value: string): boolean {
  return value === "" || /\*{3,}|•{3,}/.test(value) || /^[<[(*]+(redacted|masked|hidden|secret)[>\])*]+$/i.test(value);
}

export const deploymentStatuses = [
  "AWAITING_DATABASE",
  "READY",
  "UNUSED",
  "AWAITING_DELETE",
  "AWAITING_FINAL_DELETE",
  "UNKNOWN",
] as const;

/**
 * A deployment as a server returns it. Only what a client can't do without is required, since older servers leave out
 * the rest. `source_revision_config` mirrors the latest revision. `secrets` holds the whole environment, its values
 * sometimes masked.
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

/** Names that the platform sets itself and rejects in `secrets`. Source: the hosted service's rules, November 2026. */
const reservedEverywhere: ReadonlySet<string> = new Set([
  "LANGCHAIN_TRACING_V2",
  "LANGSMITH_TRACING_V2",
  "LANGCHAIN_ENDPOINT",
  "LANGCHAIN_PROJECT",
  "LANGSMITH_PROJECT",
  "LANGSMITH_LANGGRAPH_GIT_REPO",
  "LANGGRAPH_GIT_REPO_PATH",
  "LANGCHAIN_API_KEY",
  "LANGSMITH_CONTROL_PLANE_API_KEY",
  "POSTGRES_URI",
  "POSTGRES_PASSWORD",
  "DATABASE_URI",
  "LANGSMITH_LANGGRAPH_GIT_REF",
  "LANGSMITH_LANGGRAPH_GIT_REF_SHA",
  "LANGGRAPH_AUTH_TYPE",
  "LANGSMITH_AUTH_ENDPOINT",
  "LANGSMITH_TENANT_ID",
  "LANGSMITH_AUTH_VERIFY_TENANT_ID",
  "LANGSMITH_HOST_PROJECT_ID",
  "LANGSMITH_HOST_PROJECT_NAME",
  "LANGSMITH_HOST_REVISION_ID",
  "LOG_JSON",
  "LOG_DICT_TRACEBACKS",
  "REDIS_URI",
  "LANGCHAIN_CALLBACKS_BACKGROUND",
  "DD_TRACE_PSYCOPG_ENABLED",
  "DD_TRACE_REDIS_ENABLED",
  "LANGSMITH_DEPLOYMENT_NAME",
  "LANGGRAPH_CLOUD_LICENSE_KEY",
]);

/** Reserved in the cloud edition only; users of a self-hosted installation may set these. */
const reservedInCloud: ReadonlySet<string> = new Set([
  "LANGSMITH_API_KEY",
  "LANGSMITH_ENDPOINT",
  "POSTGRES_URI_CUSTOM",
  "REDIS_URI_CUSTOM",
  "PATH",
  "PORT",
  "MOUNT_PREFIX",
  "LSD_ENV",
  "LSD_DD_API_KEY",
  "LSD_DD_ENDPOINT",
  "LSD_DEPLOYMENT_TYPE",
]);

export type Edition = "cloud" | "self-hosted";

/** Whether the platform rejects `name` in a deployment's environment. */
export function isReservedName(name: string, edition: Edition): boolean {
  return reservedEverywhere.has(name) || (edition === "cloud" && reservedInCloud.has(name));
}

/** The environment entry that holds a deployment's ownership marker (`core/reconcile/ownership.ts`). */
export const markerName = "GRAPHDEPLOY_MANAGED_BY";

/** Whether an environment entry of this name belongs to an ownership marker. A declaration can't have such a name. */
export function isMarkerName(name: string): boolean {
  return name === markerName || /^GRAPHDEPLOY_(PREVIEW_PR_\d+|FILE_[0-9A-F]{12})$/.test(name);
}

/**
 * A link between the workspace and an account of the repository host. `id` is what `source_config.integration_id`
 * takes.
 */
export const githubIntegrationSchema = z.looseObject({
  id: z.string().min(1),
  /** The account's name. */
  name: z.string().nullish(),
});
export type GithubIntegration = z.infer<typeof githubIntegrationSchema>;

/** A repository that an integration can read. `url` is what `source_config.repo_url` takes. */
export const githubRepositorySchema = z.looseObject({
  url: z.string(),
  owner: z.string().nullish(),
  name: z.string().nullish(),
  default_branch: z.string().nullish(),
});
export type GithubRepository = z.infer<typeof githubRepositorySchema>;

/** Where a listener deploys to. Without `k8s_namespaces`: any namespace. */
export const listenerComputeConfigSchema = z.looseObject({ k8s_namespaces: z.array(z.string()).nullish() });

/** The component that runs deployments in a customer's cluster (self-hosted only). */
export const listenerSchema = z.looseObject({
  id: z.string().min(1),
  version: z.string().nullish(),
  compute_type: openEnum(["k8s"]),
  /** Unique in its workspace. */
  compute_id: z.string(),
  compute_config: listenerComputeConfigSchema,
  created_at: z.string(),
  updated_at: z.string(),
});
