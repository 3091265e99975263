import type { DesiredDeployment } from "./desired.ts";
import { isSameRepository } from "./repository.ts";
import type { Deployment, DeploymentPatchRequest } from "./wire/deployment.ts";

/** What a change of a field means for the deployment. */
export type Effect = "patch" | "revision" | "replace";

/** A single-valued field of a declaration and its counterpart on the wire. */
export interface Field {
  path: string;
  effect: Effect;
  declared: (desired: DesiredDeployment) => unknown;
  observed: (deployment: Deployment) => unknown;
  isSame?: (a: unknown, b: unknown) => boolean;
  /** Puts the value into a patch; immutable fields have none. */
  write?: (patch: DeploymentPatchRequest, value: unknown) => void;
}

type ConfigName = keyof NonNullable<DesiredDeployment["sourceConfig"]>;
type RevisionConfigName = keyof NonNullable<DesiredDeployment["sourceRevisionConfig"]>;

function sourceConfigField(name: ConfigName, wireName: string, effect: Effect, isSame?: Field["isSame"]): Field {
  return {
    path: `sourceConfig.${name}`,
    effect,
    declared: (desired) => desired.sourceConfig?.[name],
    observed: (deployment) => deployment.source_config[wireName],
    ...(isSame === undefined ? {} : { isSame }),
    write: (patch, value) => {
      patch.source_config = { ...patch.source_config, [wireName]: value };
    },
  };
}

function revisionConfigField(name: RevisionConfigName, wireName: string): Field {
  return {
    path: `sourceRevisionConfig.${name}`,
    effect: "revision",
    declared: (desired) => desired.sourceRevisionConfig?.[name],
    observed: (deployment) => deployment.source_revision_config[wireName],
    write: (patch, value) => {
      patch.source_revision_config = { ...patch.source_revision_config, [wireName]: value };
    },
  };
}

/** Every single-valued field, with what its change means. Source: the platform's rules, `core/wire` for the shapes. */
export const fields: readonly Field[] = [
  { path: "name", effect: "replace", declared: (desired) => desired.name, observed: (deployment) => deployment.name },
  {
    path: "source",
    effect: "replace",
    declared: (desired) => desired.source,
    observed: (deployment) => deployment.source,
  },
  sourceConfigField("integrationId", "integration_id", "replace"),
  sourceConfigField("repoUrl", "repo_url", "replace", (a, b) => isSameRepository(String(a), String(b))),
  sourceConfigField("deploymentType", "deployment_type", "replace"),
  sourceConfigField("listenerId", "listener_id", "replace"),
  {
    path: "sourceConfig.listenerConfig.k8sNamespace",
    effect: "replace",
    declared: (desired) => desired.sourceConfig?.listenerConfig?.k8sNamespace,
    observed: (deployment) => deployment.source_config.listener_config?.k8s_namespace,
  },
  {
    path: "displayName",
    effect: "patch",
    declared: (desired) => desired.displayName,
    observed: (deployment) => deployment.display_name,
    write: (patch, value) => {
      patch.display_name = value as string;
    },
  },
  sourceConfigField("buildOnPush", "build_on_push", "patch"),
  sourceConfigField("customUrl", "custom_url", "patch"),
  sourceConfigField("installCommand", "install_command", "revision"),
  sourceConfigField("buildCommand", "build_command", "revision"),
  revisionConfigField("repoRef", "repo_ref"),
  revisionConfigField("graphConfigPath", "graph_config_path"),
  revisionConfigField("imageUri", "image_uri"),
  revisionConfigField("sourceTarballPath", "source_tarball_path"),
];

/** Fields that can't change once the deployment exists, by their path in the declaration. */
export const immutablePaths: readonly string[] = fields
  .filter((field) => field.effect === "replace")
  .map((field) => field.path);
