import type { Deployment } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { compareEnvironment } from "../core/reconcile/environment.ts";
import type { Inputs } from "./inputs.ts";
import type { TargetSource } from "./target.ts";

/** The declaration for the deployment `name` and the ref to deploy. */
export function declare(
  declared: DesiredDeployment,
  name: string,
  { ref }: Pick<TargetSource, "ref">,
): DesiredDeployment {
  const { sourceConfig, sourceRevisionConfig, displayName } = declared;
  // A tag doesn't move, so no push builds it.
  const buildOnPush = sourceConfig?.buildOnPush ?? (ref?.startsWith("refs/tags/") === true ? false : undefined);
  const isImage = sourceRevisionConfig?.imageUri !== undefined;
  // A preview must not get the address or the display name of the main deployment.
  const isPreview = name !== declared.name;
  const named = (text: string | undefined) =>
    isPreview && text?.includes("{name}") !== true ? undefined : text?.replaceAll("{name}", name);
  return {
    ...declared,
    name,
    sourceConfig: {
      ...sourceConfig,
      buildOnPush: isImage ? sourceConfig?.buildOnPush : buildOnPush,
      customUrl: named(sourceConfig?.customUrl),
    },
    sourceRevisionConfig: { ...sourceRevisionConfig, repoRef: isImage ? undefined : ref },
    displayName: named(displayName),
  };
}

type Update = Pick<Inputs, "declared" | "envUpdate" | "envRemove">;

/**
 * The undeclared names that a change drops from the environment. An environment of which nothing is declared stays as
 * it is, even with `env-update: replace`: an input that is empty by mistake must not empty a deployment.
 */
export function droppableNames({ declared, envUpdate, envRemove }: Update): readonly string[] | "all" {
  const { env, secrets, secretReferences = {} } = declared;
  if (envUpdate === "replace" && (env !== undefined || secrets !== undefined)) return "all";
  return [...envRemove, ...Object.keys(secretReferences)];
}

/** The undeclared names that a change drops from the references to Kubernetes Secrets, which it sends as a whole. */
export function droppableReferences({ declared, envUpdate, envRemove }: Update): readonly string[] | "all" {
  return envUpdate === "replace" && declared.secretReferences !== undefined ? "all" : envRemove;
}

/**
 * Declared entries that may differ from values that the platform hides, and aren't sent because nothing visible
 * differs.
 */
export function unsentNames(
  desired: DesiredDeployment,
  { secrets }: Deployment,
  droppable: readonly string[] | "all",
): readonly string[] {
  const { added, changed, dropped } = compareEnvironment(desired, secrets, { droppable, unreadable: "same" });
  if (added.length + changed.length + dropped.length > 0) return [];
  return compareEnvironment(desired, secrets, { droppable, unreadable: "changed" }).changed;
}

/** The pushed commit, where the platform builds it by itself; `undefined` where this run makes the revision. */
export function pushedCommitOf(
  desired: DesiredDeployment,
  { source_config }: Deployment,
  { commit, isPush }: TargetSource,
): string | undefined {
  const buildsOnPush = (desired.sourceConfig?.buildOnPush ?? source_config.build_on_push) === true;
  return buildsOnPush && isPush ? commit : undefined;
}
