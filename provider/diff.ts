import { immutablePaths, isSameRepository } from "../core/plan.ts";
import { refuseOtherPlace, type StackConfig, settingsOf } from "./connection.ts";
import { type DeploymentInputs, type DeploymentState, isUnhealthy } from "./state.ts";
import { hasUnknown, isUnknown } from "./unknown.ts";

export interface Difference {
  /** `undefined`: the engine compares the inputs itself. */
  changes: true | undefined;
  /** Paths of the inputs that can't change on a deployment. */
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** What a replacement loses: its deployment's data lives in it. */
export const lossWarning =
  "is replaced: the deployment is deleted first, and its threads and store items are lost. Use another name to keep it until the new one is live.";

/**
 * What a change of the inputs means, without any request. Names are unique, so a replacement under the same name deletes first.
 * @throws {@link ConfigError} when the settings lead to another control plane or workspace than the one that made the deployment.
 */
export function diff(olds: DeploymentState, news: DeploymentInputs, config: StackConfig | undefined): Difference {
  if (!hasUnknown(news.connection)) refuseOtherPlace(olds, settingsOf(news.connection, config));
  const replaces = immutablePaths.filter((path) => {
    const before = valueAt(olds, path);
    const after = valueAt(news, path);
    if (before === undefined || after === undefined) return false;
    if (path === "sourceConfig.repoUrl" && !isUnknown(after)) return !isSameRepository(String(before), String(after));
    return before !== after;
  });
  return {
    changes: olds.drifted === true || isUnhealthy({ ...olds, wait: news.wait ?? true }) ? true : undefined,
    replaces,
    deleteBeforeReplace: replaces.length > 0 && !replaces.includes("name"),
  };
}

/** The value at a path like `sourceConfig.repoUrl`; unknown where something on the way is. */
function valueAt(record: object, path: string): unknown {
  let value: unknown = record;
  for (const part of path.split(".")) {
    if (isUnknown(value)) return value;
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
