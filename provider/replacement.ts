import { immutablePaths, isSameRepository } from "../core/declare/deployment.ts";
import type { DeploymentInputs, DeploymentState } from "./state.ts";
import { isUnknown } from "./unknown.ts";

/**
 * Paths of the immutable inputs that differ, so that the deployment must be replaced. A value that isn't known yet
 * counts as equal.
 */
export function replacedPaths(olds: DeploymentInputs | DeploymentState, news: DeploymentInputs): string[] {
  return immutablePaths.filter((path) => {
    const before = valueAt(olds, path);
    const after = valueAt(news, path);
    if (before === undefined || after === undefined || isUnknown(after)) return false;
    if (path === "sourceConfig.repoUrl") return !isSameRepository(String(before), String(after));
    return before !== after;
  });
}

/** Paths of the immutable inputs that aren't known yet. */
export function unknownImmutablePaths(olds: DeploymentInputs | DeploymentState, news: DeploymentInputs): string[] {
  return immutablePaths.filter((path) => valueAt(olds, path) !== undefined && isUnknown(valueAt(news, path)));
}

/** The value at a path like `sourceConfig.repoUrl`; unknown if a part of the path is. */
function valueAt(record: object, path: string): unknown {
  let value: unknown = record;
  for (const part of path.split(".")) {
    if (isUnknown(value)) return value;
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
