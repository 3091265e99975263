import { ConfigError } from "../core/client/errors.ts";
import { refuseOtherWorkspace, type StackConfig, settingsOf } from "./connection.ts";
import { replacedPaths, unknownImmutablePaths } from "./replacement.ts";
import { type DeploymentInputs, type DeploymentState, isUnhealthy, unhealthyReason } from "./state.ts";
import { hasUnknown } from "./unknown.ts";

export interface Difference {
  /** `undefined`: the engine compares the inputs itself. */
  changes: true | undefined;
  /** Paths of the inputs that can't change on a deployment. */
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** The data of a deployment is lost with it. */
const lossWarning =
  "is replaced: the deployment is deleted first, and its threads and store items are lost. Use another name to keep it until the new one is live.";

/** Warnings for the resource's row in a preview: about data that a replacement loses, or may lose. */
export function warningsOf(olds: DeploymentState, news: DeploymentInputs, difference: Difference): string[] {
  if (difference.deleteBeforeReplace) return [`${olds.name} ${lossWarning}`];
  if (difference.replaces.length > 0) return [];
  const unknown = unknownImmutablePaths(olds, news).map((path) => `\`${path.split(".").at(-1)}\``);
  if (unknown.length === 0) return [];
  const isPlural = unknown.length > 1;
  return [
    `${olds.name} may be replaced, and its threads and store items lost: ${unknown.join(", ")} ${isPlural ? "aren't" : "isn't"} known yet.`,
  ];
}

/**
 * Notes for the resource's row in a preview: why it is updated even if no input differs, which the engine shows without a
 * reason.
 */
export function notesOf(olds: DeploymentState, news: DeploymentInputs, difference: Difference): string[] {
  if (difference.changes !== true || difference.replaces.length > 0) return [];
  const reason = unhealthyReason({ ...olds, wait: news.wait ?? true }) ?? "it was changed outside of Pulumi";
  return [`${olds.name} is updated because ${reason}.`];
}

/**
 * Decides what a change of the inputs means, without any request. Names are unique, so a replacement under the same
 * name deletes first. A value that isn't known yet is no reason to replace.
 * @throws {@link ConfigError} when the settings name another control plane or workspace than the one that made the
 * deployment, or the resource's options make a replacement impossible
 */
export function diff(olds: DeploymentState, news: DeploymentInputs, config: StackConfig | undefined): Difference {
  if (!hasUnknown(news.connection)) refuseOtherWorkspace(olds, settingsOf(news.connection, config));
  const replaces = replacedPaths(olds, news);
  const deleteBeforeReplace = replaces.length > 0 && !replaces.includes("name");
  if (deleteBeforeReplace) refuseKeepingTheName(news, `${olds.name} has to be replaced (${replaces.join(", ")})`);
  return {
    changes: olds.drifted === true || isUnhealthy({ ...olds, wait: news.wait ?? true }) ? true : undefined,
    replaces,
    deleteBeforeReplace,
  };
}

/**
 * Refuses resource options that would keep the old deployment, since its replacement needs the name.
 * @throws {@link ConfigError} whose message begins with `what`, and its hint with `remedy`
 */
export function refuseKeepingTheName(
  { resourceOptions = {} }: DeploymentInputs,
  what: string,
  remedy = "Remove the option",
): void {
  const option =
    resourceOptions.retainOnDelete === true
      ? "retainOnDelete: true"
      : resourceOptions.deleteBeforeReplace === false
        ? "deleteBeforeReplace: false"
        : undefined;
  if (option === undefined) return;
  throw new ConfigError(`${what}, but with the resource option ${option} the old deployment would keep the name.`, {
    path: "name",
    hint: `Nothing was changed. ${remedy}, or give the new deployment another name.`,
  });
}
