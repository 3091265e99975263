import { immutablePaths, isSameRepository } from "../core/declare/fields.ts";
import type { DeploymentInputs, DeploymentState } from "./state.ts";
import { isUnknown } from "./unknown.ts";

/** Paths of the inputs that differ and can't change on a deployment, so that a new one takes its place. What isn't known yet may turn out equal. */
export function replacedPaths(olds: DeploymentInputs | DeploymentState, news: DeploymentInputs): string[] {
  return immutablePaths.filter((path) => {
    const before = valueAt(olds, path);
    const after = valueAt(news, path);
    if (before === undefined || after === undefined || isUnknown(after)) return false;
    if (path === "sourceConfig.repoUrl") return !isSameRepository(String(before), String(after));
    return before !== after;
  });
}

/** Paths of the inputs that can't change on a deployment and aren't known yet. */
export function unknownImmutablePaths(olds: DeploymentInputs | DeploymentState, news: DeploymentInputs): string[] {
  return immutablePaths.filter((path) => valueAt(olds, path) !== undefined && isUnknown(valueAt(news, path)));
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
