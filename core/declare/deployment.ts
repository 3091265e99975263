import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../client/errors.ts";
import type { Open } from "../client/wire/conventions.ts";
import type {
  Deployment,
  DeploymentPatchRequest,
  KnownDeploymentType,
  KnownSource,
} from "../client/wire/deployments.ts";
import { snakeCaseKeys } from "../names.ts";

/**
 * What a user declares about a deployment, in camelCase and with the environment as maps. `undefined` means "not
 * declared": the platform's value stays as it is. The fields correspond to the API's `source_config`,
 * `source_revision_config` and `secrets`.
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
  /**
   * The platform's fields in camelCase, for example `minScale`, `memoryMb`. Undeclared ones keep the platform's values.
   */
  resourceSpec?: Readonly<Record<string, unknown>> | undefined;
  listenerId?: string | undefined;
  listenerConfig?: { k8sNamespace?: string | undefined } | undefined;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
}

export interface DesiredSourceRevisionConfig {
  /** A branch by its short name, a tag as `refs/tags/<tag>`. */
  repoRef?: string | undefined;
  graphConfigPath?: string | undefined;
  imageUri?: string | undefined;
  sourceTarballPath?: string | undefined;
}

/** What changing a field takes: a request, a new revision, or a new deployment. */
export type Effect = "patch" | "revision" | "replace";

/** A single-valued field of a declaration and its counterpart on the wire. */
export interface Field {
  path: string;
  effect: Effect;
  declared: (desired: DesiredDeployment) => unknown;
  observed: (deployment: Deployment) => unknown;
  isSame?: (a: unknown, b: unknown) => boolean;
  /** Puts the value into a patch; immutable fields may have none. */
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

/** Every single-valued field, with the effect of its change. The shapes are in `core/client/wire`. */
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

/** Paths of the fields that can't change once the deployment exists. */
export const immutablePaths: readonly string[] = fields
  .filter((field) => field.effect === "replace")
  .map((field) => field.path);

/**
 * Optional fields that are no longer declared although the platform can't clear them, each with what to do about it.
 */
export function refusedRemovals(
  desired: DesiredDeployment,
  previous: DesiredDeployment,
): { path: string; message: string }[] {
  const refused = fields
    .filter((field) => field.effect !== "replace" && field.path !== "sourceConfig.buildOnPush")
    .filter((field) => field.declared(previous) !== undefined && field.declared(desired) === undefined)
    .map((field) => ({
      path: field.path,
      message:
        "was declared and can't be cleared: the platform treats a missing value as unchanged. Declare the value it should have.",
    }));
  const count = (entries: object | undefined) => Object.keys(entries ?? {}).length;
  if (count(previous.secretReferences) > 0 && count(desired.secretReferences) === 0) {
    refused.push({
      path: "secretReferences",
      message: "can't be emptied: the platform treats an empty list as unchanged. Keep at least one entry.",
    });
  }
  return refused;
}

/**
 * Refuses {@link refusedRemovals}, and emptying the platform's list of secret references.
 * @throws {@link ConfigError} naming the fields
 */
export function refuseRemovals(
  desired: DesiredDeployment,
  observed: Deployment,
  previous: DesiredDeployment | undefined,
): void {
  const refused = previous === undefined ? [] : refusedRemovals(desired, previous);
  if (refused[0] !== undefined) {
    const message = refused.map((removal) => `${removal.path} ${removal.message}`).join(" ");
    throw new ConfigError(message, { path: refused[0].path });
  }
  const present = observed.secret_references ?? [];
  if (present.length === 0 || Object.keys(desired.secretReferences ?? present).length > 0) return;
  throw new ConfigError(
    `secretReferences is declared empty, but the deployment has ${present.map(({ name }) => name).join(", ")}: the platform treats an empty list as unchanged.`,
    {
      path: "secretReferences",
      hint: "Keep at least one entry, or don't declare secretReferences to leave them alone.",
    },
  );
}

/** `fields` without those that are undefined or null. */
export function definedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Whether a ref names a tag, which doesn't move, so that no push builds it. */
export function isTagRef(ref: string): boolean {
  return ref.startsWith("refs/tags/");
}

/**
 * Whether two addresses name the same repository, whatever the case of the host and with or without `.git` or a
 * trailing slash.
 */
export function isSameRepository(a: string, b: string): boolean {
  const normalize = (text: string) => {
    const url = URL.parse(text.trim());
    const plain = url === null ? text.trim() : `${url.host}${url.pathname}`;
    return plain.replace(/\/+$/, "").replace(/\.git$/, "");
  };
  return normalize(a) === normalize(b);
}

/**
 * The resource spec to send, or `undefined` when the platform's is as declared. A PATCH replaces it as a whole, so
 * undeclared fields are carried over.
 */
export function mergedResourceSpec(
  desired: DesiredDeployment,
  observed: Deployment,
  previous: DesiredDeployment | undefined,
): Record<string, unknown> | undefined {
  const before = snakeCaseKeys(previous?.sourceConfig?.resourceSpec ?? {});
  const declared = desired.sourceConfig?.resourceSpec;
  if (declared === undefined && Object.keys(before).length === 0) return undefined;
  const wanted = snakeCaseKeys(declared ?? {});
  const present: Record<string, unknown> = observed.source_config.resource_spec ?? {};
  const kept = Object.entries(present).filter(([name]) => !Object.hasOwn(before, name));
  const merged = definedFields({ ...Object.fromEntries(kept), ...wanted });
  return isDeepStrictEqual(roundedSpec(definedFields(present)), roundedSpec(merged)) ? undefined : merged;
}

/** A resource spec as the platform stores it: cores rounded to one decimal. */
export function roundedSpec(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec).map(([name, value]) => [
      name,
      typeof value === "number" && name.includes("cpu") ? Math.round(value * 10) / 10 : value,
    ]),
  );
}
