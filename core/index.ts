export { ControlPlane, type ControlPlaneOptions } from "./client/client.ts";
export type { DeploymentFilters, DeploymentsResource, IntegrationsResource } from "./client/deployments.ts";
export * from "./client/errors.ts";
export { Listing, type Page, type PageRequest } from "./client/pagination.ts";
export type { ApiRequest, ApiResponse, CallOptions, SendRequest } from "./client/response.ts";
export type { RequestLimits } from "./client/retry.ts";
export type { RevisionFilters, RevisionsResource } from "./client/revisions.ts";
export type { Dialect, DialectSetting, Open } from "./client/wire/conventions.ts";
export type {
  Deployment,
  DeploymentCreateRequest,
  DeploymentPatchRequest,
  GithubIntegration,
  GithubRepository,
  KnownDeploymentType,
  KnownSource,
} from "./client/wire/deployments.ts";
export type { LogEntry, LogsPage, LogsRequest, Revision, RevisionStatus } from "./client/wire/revisions.ts";
export type {
  DesiredDeployment,
  DesiredSourceConfig,
  DesiredSourceRevisionConfig,
  Effect,
} from "./declare/deployment.ts";
export type { Problem } from "./declare/validation.ts";
export { validateDesired } from "./declare/validation.ts";
export { type DeletionOptions, deleteDeployment } from "./reconcile/apply.ts";
export type { CreateOptions, Origin } from "./reconcile/create.ts";
export type { EnvironmentOptions } from "./reconcile/environment.ts";
export type { Claim } from "./reconcile/ownership.ts";
export { type Change, type Plan, type PlanOptions, planDeployment } from "./reconcile/plan.ts";
export {
  type HeldDeployment,
  type LiveDeployment,
  observeDeployment,
  type ReconcileOptions,
  type Reconciliation,
  reconcile,
  type StartedRollout,
} from "./reconcile/reconcile.ts";
export { type Logger, Redactor } from "./redact.ts";
export { followRollout, type RolloutOptions, type RolloutResult } from "./rollout/follow.ts";
export type { OnProgress, ProgressEvent, RolloutLimits, StatusSpan, StepOptions } from "./rollout/waiting.ts";
export {
  type Environment,
  type ResolvedSettings,
  resolveSettings,
  type Settings,
  type SettingsInput,
  type SettingsSources,
} from "./settings.ts";
export { type Clock, type Duration, formatDuration, parseDuration, systemClock } from "./time.ts";
