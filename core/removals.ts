import type { DesiredDeployment } from "./desired.ts";
import { ConfigError } from "./errors.ts";
import { fields } from "./fields.ts";
import type { Deployment } from "./wire/deployment.ts";

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
  if (count(previous.secretReferences) > 0 && count(desired.secretReferences) === 0) {
    refused.push({
      path: "secretReferences",
      message: "can't be emptied: the platform takes an empty list as unchanged. Keep at least one entry.",
    });
  }
  return refused;
}

/**
 * Refuses what `refusedRemovals` lists, and emptying the references that the platform has.
 * @throws {@link ConfigError} naming the field.
 */
export function refuseRemovals(
  desired: DesiredDeployment,
  observed: Deployment,
  previous: DesiredDeployment | undefined,
): void {
  const first = previous && refusedRemovals(desired, previous)[0];
  if (first !== undefined) throw new ConfigError(`${first.path} ${first.message}`, { path: first.path });
  const references = observed.secret_references ?? [];
  if (
    desired.secretReferences !== undefined &&
    Object.keys(desired.secretReferences).length === 0 &&
    references.length > 0
  ) {
    throw new ConfigError(
      `secretReferences is declared empty, but the deployment has ${references.map((entry) => entry.name).join(", ")}: the platform takes an empty list as unchanged.`,
      {
        path: "secretReferences",
        hint: "Keep at least one entry, or don't declare secretReferences to leave them alone.",
      },
    );
  }
}
