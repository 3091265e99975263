import { isDeepStrictEqual } from "node:util";
import { type DesiredDeployment, snakeCaseKeys } from "./desired.ts";
import { compareEnvironment, declaresEnvironment, environmentEntries, managedByOf } from "./environment.ts";
import { ConfigError } from "./errors.ts";
import type { Deployment, DeploymentCreateRequest, DeploymentPatchRequest } from "./wire/deployment.ts";

/** What a change of a field means for the deployment. */
export type Effect = "patch" | "revision" | "replace";

/** One field that differs, with why that matters. `from` and `to` are absent for secrets. */
export interface Change {
  /** Of the declaration, for example `sourceConfig.buildOnPush`. */
  path: string;
  effect: Effect;
  reason: string;
  from?: unknown;
  to?: unknown;
}

/**
 * What brings the observed deployment to the desired one. `patch` changes it in place, `revision` rolls out a new revision, `replace` needs a
 * new deployment because a field can't change.
 */
export interface Plan {
  action: "create" | "patch" | "revision" | "replace" | "delete" | "nothing";
  changes: readonly Change[];
  /** The request body of `patch` and `revision`: what changed and nothing else. */
  patch: DeploymentPatchRequest | undefined;
  /** Names in the platform's environment that the patch drops. */
  droppedNames: readonly string[];
}

export interface PlanOptions {
  /** What was declared when it was last applied: tells a field that was removed from one that never was declared. */
  previous?: DesiredDeployment | undefined;
  /** How hidden environment values count when there is no `previous`. @default "same" */
  unreadable?: "same" | "changed";
  /** Who makes it, kept in the environment list. @default the mark that the deployment has */
  managedBy?: string | undefined;
  /** Roll out again although nothing changed, and why. */
  redeploy?: string | undefined;
}

interface Field {
  path: string;
  effect: Effect;
  declared: (desired: DesiredDeployment) => unknown;
  observed: (deployment: Deployment) => unknown;
  isSame?: (a: unknown, b: unknown) => boolean;
  /** Puts the value into a patch; immutable fields have none. */
  write?: (patch: DeploymentPatchRequest, value: unknown) => void;
}

const why: Readonly<Record<Effect, string>> = {
  patch: "changes in place",
  revision: "rolls out a new revision",
  replace: "can't change on a deployment, so it is replaced",
};

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
const fields: readonly Field[] = [
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

/** The request that creates the deployment. A display name isn't part of it: the platform takes that only from a PATCH. */
export function createRequest(desired: DesiredDeployment, managedBy: string | undefined): DeploymentCreateRequest {
  const { sourceConfig = {}, sourceRevisionConfig = {} } = desired;
  const { resourceSpec, listenerConfig, ...plain } = sourceConfig;
  const spec = resourceSpec ?? (desired.source === "external_docker" ? {} : undefined);
  return {
    name: desired.name,
    source: desired.source,
    source_config: defined({
      ...snakeCaseKeys(plain),
      resource_spec: spec && snakeCaseKeys(spec),
      listener_config: listenerConfig && snakeCaseKeys(listenerConfig),
    }),
    source_revision_config: defined(snakeCaseKeys({ ...sourceRevisionConfig })),
    secrets: environmentEntries(desired, managedBy),
    ...(desired.secretReferences === undefined ? {} : { secret_references: referenceList(desired) }),
  };
}

/** The plan for a deployment that doesn't exist yet. */
export const creation: Plan = { action: "create", changes: [], patch: undefined, droppedNames: [] };

/** The plan for a deployment that isn't declared any more. */
export const deletion: Plan = { action: "delete", changes: [], patch: undefined, droppedNames: [] };

/**
 * Compares what is declared with what the platform has. Pure; applying its result makes the next plan empty.
 * @throws {@link ConfigError} for a removal that the platform can't do: it would be reported as done and wouldn't be.
 */
export function planUpdate(desired: DesiredDeployment, observed: Deployment, options: PlanOptions = {}): Plan {
  const { previous, unreadable = "same", managedBy = managedByOf(observed.secrets), redeploy } = options;
  const changes: Change[] = [];
  const patch: DeploymentPatchRequest = {};
  refuseRemovals(desired, observed, previous);

  for (const field of fields) {
    const to = field.declared(desired);
    const from = field.observed(observed);
    if (to === undefined) continue;
    // A field that an older server doesn't send tells nothing about a difference that would need a new deployment.
    if (field.effect === "replace" && (from === undefined || from === null)) continue;
    if ((field.isSame ?? isDeepStrictEqual)(to, from ?? undefined)) continue;
    // No push builds a deployment that has never been told to.
    if (field.path === "sourceConfig.buildOnPush" && to === false && (from === undefined || from === null)) continue;
    changes.push({ path: field.path, effect: field.effect, reason: why[field.effect], from, to });
    field.write?.(patch, to);
  }
  const spec = mergedResourceSpec(desired, observed, previous);
  if (spec !== undefined) {
    const from = observed.source_config.resource_spec ?? {};
    changes.push({ path: "sourceConfig.resourceSpec", effect: "revision", reason: why.revision, from, to: spec });
    patch.source_config = { ...patch.source_config, resource_spec: spec };
  }
  const droppedNames = planEnvironment();
  planReferences();
  if (redeploy !== undefined && !changes.some((change) => change.effect === "revision")) {
    patch.source_revision_config = { ...patch.source_revision_config, ...redeployConfig(observed, desired) };
    changes.push({ path: "triggers", effect: "revision", reason: redeploy });
  }
  const effects = new Set(changes.map((change) => change.effect));
  const action = (["replace", "revision", "patch"] as const).find((effect) => effects.has(effect)) ?? "nothing";
  return { action, changes, patch: action === "patch" || action === "revision" ? patch : undefined, droppedNames };

  function planEnvironment(): readonly string[] {
    if (!declaresEnvironment(desired)) return [];
    const { added, changed, dropped } = compareEnvironment(desired, observed.secrets, previous, unreadable);
    if (added.length + changed.length + dropped.length === 0) return [];
    patch.secrets = environmentEntries(desired, managedBy);
    const parts = [
      added.length > 0 && `adds ${added.join(", ")}`,
      changed.length > 0 && `changes ${changed.join(", ")}`,
      dropped.length > 0 && `drops ${dropped.join(", ")}`,
    ].filter((part) => part !== false);
    changes.push({ path: "secrets", effect: "revision", reason: `${parts.join("; ")}; ${why.revision}` });
    return dropped;
  }

  function planReferences(): void {
    if (desired.secretReferences === undefined) return;
    const to = referenceList(desired);
    const from = observed.secret_references ?? [];
    if (isDeepStrictEqual(byName(to), byName(from))) return;
    patch.secret_references = to;
    changes.push({ path: "secretReferences", effect: "revision", reason: why.revision });
  }
}

/** Optional fields that were declared and aren't any more, though the platform can't clear them: by path, with what to do. */
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
        "was declared and can't be cleared: the platform takes a missing value as unchanged. Declare the value it should have.",
    }));
  const count = (entries: object | undefined) => Object.keys(entries ?? {}).length;
  const hadEntries = count(previous.env) + count(previous.secrets) > 0;
  if (hadEntries && count(desired.env) + count(desired.secrets) === 0) {
    refused.push({
      path: "secrets",
      message:
        "(with env) can't be emptied: the platform takes an empty list as unchanged, so the old values would stay. Keep at least one entry, or replace the deployment.",
    });
  }
  if (count(previous.secretReferences) > 0 && count(desired.secretReferences) === 0) {
    refused.push({
      path: "secretReferences",
      message: "can't be emptied: the platform takes an empty list as unchanged. Keep at least one entry.",
    });
  }
  return refused;
}

function refuseRemovals(
  desired: DesiredDeployment,
  observed: Deployment,
  previous: DesiredDeployment | undefined,
): void {
  const first = previous && refusedRemovals(desired, previous)[0];
  if (first !== undefined) throw new ConfigError(`${first.path} ${first.message}`, { path: first.path });
  const declaresNone = declaresEnvironment(desired) && environmentEntries(desired, undefined).length === 0;
  const present = (observed.secrets ?? []).filter((entry) => entry.name !== "GRAPHDEPLOY_MANAGED_BY");
  if (declaresNone && present.length > 0) {
    throw new ConfigError(
      `secrets is declared empty, but the deployment has ${present.map((entry) => entry.name).join(", ")}: the platform takes an empty list as unchanged.`,
      { path: "secrets", hint: "Keep at least one entry, or don't declare secrets and env to leave them alone." },
    );
  }
}

/** The resource spec to send, or `undefined` when the platform's is right. It is replaced whole, so what nobody declared is carried over. */
function mergedResourceSpec(
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
  const merged = defined({ ...Object.fromEntries(kept), ...wanted });
  return isDeepStrictEqual(rounded(defined(present)), rounded(merged)) ? undefined : merged;
}

/** The platform keeps cores to one decimal. */
function rounded(spec: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec).map(([name, value]) => [
      name,
      typeof value === "number" && name.includes("cpu") ? Math.round(value * 10) / 10 : value,
    ]),
  );
}

/** What, sent again unchanged, makes the platform roll out again. */
function redeployConfig(observed: Deployment, desired: DesiredDeployment): Record<string, unknown> {
  const { repo_ref, image_uri, source_tarball_path } = observed.source_revision_config;
  const { repoRef, imageUri, sourceTarballPath } = desired.sourceRevisionConfig ?? {};
  const config = defined({
    repo_ref: repoRef ?? repo_ref,
    image_uri: imageUri ?? image_uri,
    source_tarball_path: sourceTarballPath ?? source_tarball_path,
  });
  if (Object.keys(config).length > 0) return config;
  const path = desired.sourceRevisionConfig?.graphConfigPath ?? observed.source_revision_config.graph_config_path;
  return defined({ graph_config_path: path });
}

function referenceList({ secretReferences = {} }: DesiredDeployment) {
  return Object.entries(secretReferences).map(([name, { secretName, secretKey }]) => ({
    name,
    secret_name: secretName,
    secret_key: secretKey,
  }));
}

function byName<Item extends { name: string }>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Whether two addresses name one repository: the host's case, `.git` and a slash at the end make no difference. */
export function isSameRepository(a: string, b: string): boolean {
  const normalize = (text: string) => {
    const url = URL.parse(text.trim());
    const plain = url === null ? text.trim() : `${url.host}${url.pathname}`;
    return plain.replace(/\/+$/, "").replace(/\.git$/, "");
  };
  return normalize(a) === normalize(b);
}
