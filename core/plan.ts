import { isDeepStrictEqual } from "node:util";
import { definedFields } from "./defined-fields.ts";
import type { DesiredDeployment } from "./desired.ts";
import { compareEnvironment, declaresEnvironment, environmentEntries } from "./environment.ts";
import { type Effect, fields } from "./fields.ts";
import { managedByOf, markEntries } from "./managed-by.ts";
import { refuseRemovals } from "./removals.ts";
import { mergedResourceSpec } from "./resource-spec.ts";
import { areSameReferences, referenceList } from "./secret-references.ts";
import type { Deployment, DeploymentPatchRequest } from "./wire/deployment.ts";

export { type Effect, immutablePaths } from "./fields.ts";
export { refusedRemovals } from "./removals.ts";
export { isSameRepository } from "./repository.ts";

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
  /** How environment values count that the platform hides and `previous` doesn't tell. @default "same" */
  unreadable?: "same" | "changed";
  /** Who makes it, kept in the environment list. @default the mark that the deployment has */
  managedBy?: string | undefined;
  /** Roll out again although nothing changed, and why. */
  redeploy?: string | undefined;
}

const why: Readonly<Record<Effect, string>> = {
  patch: "changes in place",
  revision: "rolls out a new revision",
  replace: "can't change on a deployment, so it is replaced",
};

/**
 * What brings the platform to what is declared, where either side may be missing: create what isn't there, delete what isn't declared any more.
 * Pure.
 * @throws as {@link planUpdate}
 */
export function plan(
  desired: DesiredDeployment | undefined,
  observed: Deployment | undefined,
  options: PlanOptions = {},
): Plan {
  const whole = (action: Plan["action"]): Plan => ({ action, changes: [], patch: undefined, droppedNames: [] });
  if (desired === undefined) return whole(observed === undefined ? "nothing" : "delete");
  if (observed === undefined) return whole("create");
  return planUpdate(desired, observed, options);
}

/**
 * Compares what is declared with what the platform has. Pure; applying its result makes the next plan empty.
 * @throws {@link ConfigError} for a removal that the platform can't do: it would be reported as done and wouldn't be.
 */
export function planUpdate(desired: DesiredDeployment, observed: Deployment, options: PlanOptions = {}): Plan {
  const { previous, unreadable = "same", managedBy = managedByOf(observed.secrets), redeploy } = options;
  const changes: Change[] = [];
  const patch: DeploymentPatchRequest = {};
  refuseRemovals(desired, observed, { previous, managedBy });

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
    const present = observed.secrets;
    const isUnmarked =
      managedBy !== undefined &&
      present &&
      markEntries(managedBy).some((mark) => present.every(({ name }) => name !== mark.name));
    const isMarkedOtherwise =
      managedBy !== undefined && ![undefined, managedBy].includes(managedByOf(observed.secrets));
    const marks = isUnmarked === true || isMarkedOtherwise;
    if (added.length + changed.length + dropped.length === 0 && !marks) return [];
    patch.secrets = environmentEntries(desired, managedBy);
    const parts = [
      added.length > 0 && `adds ${added.join(", ")}`,
      changed.length > 0 && `changes ${changed.join(", ")}`,
      dropped.length > 0 && `drops ${dropped.join(", ")}`,
      marks && `marks the deployment as managed by ${managedBy}`,
    ].filter((part) => part !== false);
    changes.push({ path: "secrets", effect: "revision", reason: `${parts.join("; ")}; ${why.revision}` });
    return dropped;
  }

  function planReferences(): void {
    if (desired.secretReferences === undefined) return;
    const to = referenceList(desired);
    if (areSameReferences(to, observed.secret_references ?? [])) return;
    patch.secret_references = to;
    changes.push({ path: "secretReferences", effect: "revision", reason: why.revision });
  }
}

/** What, sent again unchanged, makes the platform roll out again. */
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
