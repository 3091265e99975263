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
