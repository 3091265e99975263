export {
  type CallOptions,
  ControlPlane,
  type ControlPlaneOptions,
  type DeploymentFilters,
  type RevisionFilters,
} from "./client.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type DeletionOptions, deleteDeployment } from "./deletion.ts";
export { type DesiredDeployment, type Problem, validateDesired } from "./desired.ts";
export type { Dialect, DialectSetting } from "./dialect.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export * from "./errors.ts";
export type { OnProgress, ProgressEvent } from "./events.ts";
export type { Logger } from "./logger.ts";
export { Listing, type Page } from "./pages.ts";
export { type Change, type Plan, type PlanOptions, plan, planUpdate } from "./plan.ts";
export { create, type Ensured, observe, update, waitUntilLive } from "./reconcile.ts";
export { Redactor } from "./redact.ts";
export { followRollout, type RolloutLimits, type RolloutOptions, type RolloutResult } from "./rollout.ts";
export { resolveSettings, type Settings, type SettingsInput, type SettingsSources } from "./settings.ts";
export type { Deployment, DeploymentCreateRequest, DeploymentPatchRequest } from "./wire/deployment.ts";
export type { LogEntry, LogsPage, LogsRequest } from "./wire/logs.ts";
export type { Revision, RevisionStatus } from "./wire/revision.ts";
