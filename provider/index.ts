export type { Region } from "../core/client/connection.ts";
export type { Dialect, DialectSetting, Open } from "../core/client/wire/conventions.ts";
export type { KnownDeploymentType, KnownSource } from "../core/client/wire/deployments.ts";
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
  type GetDeploymentArgs,
  type GetDeploymentOptions,
  type GetDeploymentOutputArgs,
  type GetDeploymentResult,
  getDeployment,
  getDeploymentOutput,
} from "./get-deployment.ts";
export { type ImportedDeployment, type ImportFile, type ImportFileArgs, importFile } from "./import-file.ts";
export { Provider, type ProviderArgs } from "./provider.ts";
export type { ResourceSpecArgs } from "./resource-spec-args.ts";
export type { ConnectionInputs, DeploymentInputs, DeploymentOutputs, ResourceOptionInputs, Timeouts } from "./state.ts";
