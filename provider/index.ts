export type { Region } from "../core/client/connection.ts";
export type { Dialect, DialectSetting, Open } from "../core/client/wire/conventions.ts";
export type { KnownDeploymentType, KnownSource } from "../core/client/wire/deployments.ts";
export type { RevisionStatus } from "../core/client/wire/revisions.ts";
export type {
  DesiredDeployment,
  DesiredSourceConfig,
  DesiredSourceRevisionConfig,
} from "../core/declare/deployment.ts";
export {
  Deployment,
  type DeploymentArgs,
  type DeploymentOptions,
  type SecretReferenceArgs,
  type SourceConfigArgs,
  type SourceRevisionConfigArgs,
} from "./deployment.ts";
export {
  DeploymentsFromFile,
  type DeploymentsFromFileArgs,
  type DeploymentsFromFileOptions,
} from "./deployments-from-file.ts";
export type { FileVariables } from "./file-variables.ts";
export {
  type GetDeploymentArgs,
  type GetDeploymentOutputArgs,
  type GetDeploymentResult,
  getDeployment,
  getDeploymentOutput,
} from "./get-deployment.ts";
export {
  type GetIntegrationsArgs,
  type GetIntegrationsOutputArgs,
  type GetIntegrationsResult,
  type GetRepositoriesArgs,
  type GetRepositoriesOutputArgs,
  type GetRepositoriesResult,
  getIntegrations,
  getIntegrationsOutput,
  getRepositories,
  getRepositoriesOutput,
  type IntegrationResult,
  type RepositoryResult,
} from "./get-integrations.ts";
export {
  type GetRevisionsArgs,
  type GetRevisionsOutputArgs,
  type GetRevisionsResult,
  getRevisions,
  getRevisionsOutput,
  type RevisionResult,
} from "./get-revisions.ts";
export { type ImportedDeployment, type ImportFile, type ImportFileArgs, importFile } from "./import-file.ts";
export type { LookupOptions } from "./program-lookup.ts";
export { Provider, type ProviderArgs } from "./provider.ts";
export type { ResourceSpecArgs } from "./resource-spec-args.ts";
export type { ConnectionInputs, DeploymentInputs, DeploymentOutputs, ResourceOptionInputs, Timeouts } from "./state.ts";
