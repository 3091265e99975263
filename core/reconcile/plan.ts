import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../client/errors.ts";
import { type Deployment, type DeploymentPatchRequest, markerName } from "../client/wire/deployments.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { definedFields, type Effect, fields, mergedResourceSpec, refuseRemovals } from "../declare/deployment.ts";
import {
  areSameReferences,
  compareEnvironment,
  declaredEntries,
  type EnvironmentChange,
  type EnvironmentOptions,
  environmentEntries,
  referenceList,
} from "./environment.ts";
import { markerEntries, ownerOf, readMarker } from "./ownership.ts";

/** One field that differs, and what that causes. `from` and `to` are absent for secrets. */
export interface Change {
  /** The field in the declaration, for example `sourceConfig.buildOnPush`. */
  path: string;
  /** `create`: the field is set when the deployment is created. */
  effect: Effect | "create";
  reason: string;
  from?: unknown;
  to?: unknown;
}

/**
 * What turns the observed deployment into the desired one. `patch` changes it in place, `revision` rolls out a new
 * revision, `replace` needs a new deployment because an immutable field differs.
 */
export interface Plan {
  action: "create" | "patch" | "revision" | "replace" | "delete" | "nothing";
  changes: readonly Change[];
  /** The request body for `patch` and `revision`: only what differs. */
  patch: DeploymentPatchRequest | undefined;
  /** Names in the platform's environment that the patch drops. */
  droppedNames: readonly string[];
  /** The ownership marker that the patch writes. */
  marker: string | undefined;
}

/** `previous` also distinguishes a removed field from one that was never declared. */
export interface PlanOptions extends EnvironmentOptions {
  /**
   * The ownership marker. It is written with the next revision that another change makes. @default the deployment's
   * current one
   */
  marker?: string | undefined;
  /**
   * Write the marker even if that takes a revision of its own. Where the platform hides values that would have to be
   * sent with it, `attempted` skips it and `required` throws.
   */
  takesOver?: "attempted" | "required" | undefined;
  /** The reason to roll out again although nothing changed. @default don't */
  redeploy?: string | undefined;
}

const reasons: Readonly<Record<Effect, string>> = {
  patch: "changes in place",
  revision: "rolls out a new revision",
  replace: "can't change on a deployment, so it is replaced",
};

/**
 * The plan for a deployment that may be missing on either side: it creates one that doesn't exist, and deletes one that
 * is no longer declared. Pure.
 * @throws {@link ConfigError} for what the platform can't do
 */
export function planDeployment(
  desired: DesiredDeployment | undefined,
  observed: Deployment | undefined,
  options: PlanOptions = {},
): Plan {
  const whole = (action: Plan["action"]): Plan => ({
    action,
    changes: [],
    patch: undefined,
    droppedNames: [],
    marker: undefined,
  });
  if (desired === undefined) return whole(observed === undefined ? "nothing" : "delete");
  if (observed === undefined) return whole("create");
  return planUpdate(desired, observed, options);
}

/**
 * Compares the declaration with the platform. Pure; after its result is applied, the next plan is empty.
 * @throws {@link ConfigError} for what the platform can't do: a removal that it would ignore, or a change of an
 * environment that holds undeclared entries whose values it hides
 */
export function planUpdate(desired: DesiredDeployment, observed: Deployment, options: PlanOptions = {}): Plan {
  refuseRemovals(desired, observed, options.previous);
  const draft: Draft = {
    desired,
    observed,
    options,
    marker: options.marker ?? readMarker(observed.secrets),
    environment: compareEnvironment(desired, observed.secrets, options),
    changes: [],
    patch: {},
  };
  planFields(draft);
  planResourceSpec(draft);
  planEnvironment(draft);
  planReferences(draft);
  planRedeployment(draft);
  const writesMarker = planMarker(draft);
  const { changes, patch, environment, marker } = draft;
  const effects = new Set(changes.map(({ effect }) => effect));
  const action = (["replace", "revision", "patch"] as const).find((effect) => effects.has(effect)) ?? "nothing";
  return {
    action,
    changes,
    patch: action === "patch" || action === "revision" ? patch : undefined,
    droppedNames: environment.dropped,
    marker: writesMarker ? marker : undefined,
  };
}

/** A plan in the making; each step adds to `changes` and `patch`. */
interface Draft {
  readonly desired: DesiredDeployment;
  readonly observed: Deployment;
  readonly options: PlanOptions;
  readonly marker: string | undefined;
  readonly environment: EnvironmentChange;
  readonly changes: Change[];
  readonly patch: DeploymentPatchRequest;
}

function planFields({ desired, observed, changes, patch }: Draft): void {
  for (const field of fields) {
    const to = field.declared(desired);
    const from = field.observed(observed);
    const isAbsent = from === undefined || from === null;
    if (to === undefined) continue;
    // An older server leaves out fields, which is no reason to replace the deployment.
    if (field.effect === "replace" && isAbsent) continue;
    if ((field.isSame ?? isDeepStrictEqual)(to, from ?? undefined)) continue;
    // Without the field, building on push is off.
    if (field.path === "sourceConfig.buildOnPush" && to === false && isAbsent) continue;
    changes.push({ path: field.path, effect: field.effect, reason: reasons[field.effect], from, to });
    field.write?.(patch, to);
  }
}

function planResourceSpec({ desired, observed, options, changes, patch }: Draft): void {
  const to = mergedResourceSpec(desired, observed, options.previous);
  if (to === undefined) return;
  const from = observed.source_config.resource_spec ?? {};
  changes.push({ path: "sourceConfig.resourceSpec", effect: "revision", reason: reasons.revision, from, to });
  patch.source_config = { ...patch.source_config, resource_spec: to };
}

function planEnvironment({ desired, observed, marker, environment, changes, patch }: Draft): void {
  const { added, changed, dropped } = environment;
  if (added.length + changed.length + dropped.length === 0) return;
  // A marker that stays must be sent along, which takes its value.
  const losesMarker = marker === undefined && observed.secrets?.some(({ name }) => name === markerName) === true;
  const hidden = losesMarker ? [...environment.hidden, markerName] : environment.hidden;
  if (hidden.length > 0) throw hidesUndeclared(observed, hidden);
  const list = environmentEntries(desired, environment.kept, marker);
  if (list.length === 0) throw cannotBeEmptied(dropped);
  patch.secrets = list;
  const parts = [
    added.length > 0 && `adds ${added.join(", ")}`,
    changed.length > 0 && `changes ${changed.join(", ")}`,
    dropped.length > 0 && `drops ${dropped.join(", ")}`,
    marker !== undefined && !hasMarker(observed, marker) && `marks it as owned by ${ownerOf(marker)}`,
  ].filter((part) => part !== false);
  changes.push({ path: "secrets", effect: "revision", reason: `${parts.join("; ")}; ${reasons.revision}` });
}

function planReferences({ desired, observed, changes, patch }: Draft): void {
  if (desired.secretReferences === undefined) return;
  const to = referenceList(desired);
  if (areSameReferences(to, observed.secret_references ?? [])) return;
  patch.secret_references = to;
  changes.push({ path: "secretReferences", effect: "revision", reason: reasons.revision });
}

function planRedeployment(draft: Draft): void {
  const { desired, observed, options, changes, patch } = draft;
  if (options.redeploy === undefined || makesRevision(draft)) return;
  patch.source_revision_config = { ...patch.source_revision_config, ...redeployConfig(observed, desired) };
  changes.push({ path: "triggers", effect: "revision", reason: options.redeploy });
}

/**
 * The marker is an entry of the environment: where that is sent, the marker is part of it; else it is sent with a
 * revision, if the environment can be.
 * @returns whether the patch writes it
 */
function planMarker(draft: Draft): boolean {
  const { desired, observed, options, marker, environment, changes, patch } = draft;
  if (marker === undefined) return false;
  if (patch.secrets !== undefined) return true;
  if (hasMarker(observed, marker) || !observed.secrets) return false;
  if (options.takesOver === undefined && !makesRevision(draft)) return false;
  if (environment.hidden.length > 0) {
    if (options.takesOver === "required") throw hidesUndeclared(observed, environment.hidden);
    return false;
  }
  patch.secrets = environmentEntries(desired, environment.kept, marker);
  const reason = `marks it as owned by ${ownerOf(marker)}; ${reasons.revision}`;
  changes.push({ path: "secrets", effect: "revision", reason });
  return true;
}

function makesRevision({ changes }: Draft): boolean {
  return changes.some(({ effect }) => effect === "revision");
}

/** Whether the platform has all entries of a marker, with a readable value. */
function hasMarker({ secrets }: Deployment, marker: string): boolean {
  const values = new Map(secrets?.map(({ name, value }) => [name, value]));
  return markerEntries(marker).every(({ name, value }) =>
    name === markerName ? values.get(name) === value : values.has(name),
  );
}

/** Unchanged fields that make the platform roll out again when they are sent. */
function redeployConfig(observed: Deployment, desired: DesiredDeployment): Record<string, unknown> {
  const { repo_ref, image_uri, source_tarball_path } = observed.source_revision_config;
  const { repoRef, imageUri, sourceTarballPath } = desired.sourceRevisionConfig ?? {};
  const config = definedFields({
    repo_ref: repoRef ?? repo_ref,
    image_uri: imageUri ?? image_uri,
    source_tarball_path: sourceTarballPath ?? source_tarball_path,
  });
  if (Object.keys(config).length > 0) return config;
  const path = desired.sourceRevisionConfig?.graphConfigPath ?? observed.source_revision_config.graph_config_path;
  return definedFields({ graph_config_path: path });
}

function hidesUndeclared({ name }: Deployment, hidden: readonly string[]): ConfigError {
  return new ConfigError(
    `The environment of ${name} can't be changed: it is sent as a whole, and the platform hides the values of entries that aren't declared here: ${hidden.join(", ")}.`,
    { path: "secrets", hint: "Declare them, or remove them on the platform first. Nothing was changed." },
  );
}

function cannotBeEmptied(dropped: readonly string[]): ConfigError {
  return new ConfigError(
    `secrets (with env) is declared empty, but the deployment has ${dropped.join(", ")}: the platform treats an empty list as unchanged.`,
    { path: "secrets", hint: "Keep at least one entry, or don't declare secrets and env to leave them alone." },
  );
}

/** Everything that a creation sets; only the names of the environment, since its values may be secret. */
export function creationChanges(desired: DesiredDeployment, owner: string): Change[] {
  const set = (path: string, to: unknown): Change[] =>
    to === undefined ? [] : [{ path, effect: "create", reason: "is set when the deployment is created", to }];
  const names = declaredEntries(desired).map(({ name }) => name);
  const added = names.length === 0 ? "" : `adds ${names.join(", ")}; `;
  return [
    ...fields.flatMap((field) => set(field.path, field.declared(desired))),
    ...set("sourceConfig.resourceSpec", desired.sourceConfig?.resourceSpec),
    { path: "secrets", effect: "create", reason: `${added}marks it as owned by ${owner}` },
    ...set("secretReferences", desired.secretReferences),
  ];
}
