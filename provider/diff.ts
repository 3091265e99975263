import { refuseOtherPlace, type StackConfig, settingsOf } from "./connection.ts";
import { replacedPaths } from "./replacement.ts";
import { type DeploymentInputs, type DeploymentState, isUnhealthy } from "./state.ts";
import { hasUnknown } from "./unknown.ts";

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
  const replaces = replacedPaths(olds, news);
  return {
    changes: olds.drifted === true || isUnhealthy({ ...olds, wait: news.wait ?? true }) ? true : undefined,
    replaces,
    deleteBeforeReplace: replaces.length > 0 && !replaces.includes("name"),
  };
}
