import type { DesiredDeployment } from "./desired.ts";
import { declaresEnvironment, environmentEntries } from "./environment.ts";
import { ConfigError } from "./errors.ts";
import { fields } from "./fields.ts";
import { isMarkName } from "./managed-by.ts";
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

/**
 * Refuses what `refusedRemovals` lists, and emptying what the platform has. With a mark (`managedBy`) the environment list is never empty, so
 * it can lose every other entry.
 * @throws {@link ConfigError} naming the field.
 */
export function refuseRemovals(
  desired: DesiredDeployment,
  observed: Deployment,
  { previous, managedBy }: { previous: DesiredDeployment | undefined; managedBy: string | undefined },
): void {
  const first =
    previous &&
    refusedRemovals(desired, previous).find(
      ({ path }) => !(path === "secrets" && managedBy !== undefined && declaresEnvironment(desired)),
    );
  if (first !== undefined) throw new ConfigError(`${first.path} ${first.message}`, { path: first.path });
  if (managedBy === undefined) refuseEmptyEnvironment(desired, observed);
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

function refuseEmptyEnvironment(desired: DesiredDeployment, observed: Deployment): void {
  const declaresNone = declaresEnvironment(desired) && environmentEntries(desired, undefined).length === 0;
  const present = (observed.secrets ?? []).filter((entry) => !isMarkName(entry.name));
  if (declaresNone && present.length > 0) {
    throw new ConfigError(
      `secrets is declared empty, but the deployment has ${present.map((entry) => entry.name).join(", ")}: the platform takes an empty list as unchanged.`,
      { path: "secrets", hint: "Keep at least one entry, or don't declare secrets and env to leave them alone." },
    );
  }
}
