/**
 * Names that the platform sets itself and rejects in `secrets`. Source: the hosted service's rules, November 2026.
 */
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

/** Reserved in the cloud edition only: a self-hosted installation lets its users set these. */
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

/** Whether a name in an environment belongs to an ownership marker; no declaration has such a name. */
export function isMarkerName(name: string): boolean {
  return name === markerName || /^GRAPHDEPLOY_PREVIEW_PR_\d+$/.test(name);
}
