import type { KnownDeploymentType, KnownSource, Open } from "../client/wire/deployments.ts";

/**
 * What a user may declare of a deployment, in the form of this package (camelCase; environment as maps). `undefined` means "not
 * declared": the platform's value is left alone. Field by field it is the wire's `source_config`, `source_revision_config` and `secrets`.
 */
export interface DesiredDeployment {
  /** Unique in the workspace; can't change. */
  name: string;
  /** `github`, `external_docker` (self-hosted only), `internal_docker`, `internal_source`; can't change. */
  source: Open<KnownSource>;
  sourceConfig?: DesiredSourceConfig | undefined;
  sourceRevisionConfig?: DesiredSourceRevisionConfig | undefined;
  /** Plain environment variables by name. Sent in the same list as `secrets`. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Secret environment variables by name. */
  secrets?: Readonly<Record<string, string>> | undefined;
  /** Environment variables filled from Kubernetes Secrets, by name of the variable (`external_docker` only). */
  secretReferences?: Readonly<Record<string, { secretName: string; secretKey: string }>> | undefined;
  /** Shown instead of the name; can't be cleared. */
  displayName?: string | undefined;
}

export interface DesiredSourceConfig {
  integrationId?: string | undefined;
  repoUrl?: string | undefined;
  deploymentType?: Open<KnownDeploymentType> | undefined;
  buildOnPush?: boolean | undefined;
  customUrl?: string | undefined;
  /** Replaced whole. The platform's names in camelCase, for example `minScale`, `memoryMb`; other fields pass through. */
  resourceSpec?: Readonly<Record<string, unknown>> | undefined;
  listenerId?: string | undefined;
  listenerConfig?: { k8sNamespace?: string | undefined } | undefined;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
}

export interface DesiredSourceRevisionConfig {
  /** A branch by its bare name, a tag as `refs/tags/<tag>`. */
  repoRef?: string | undefined;
  graphConfigPath?: string | undefined;
  imageUri?: string | undefined;
  sourceTarballPath?: string | undefined;
}
