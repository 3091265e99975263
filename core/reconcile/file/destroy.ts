import type { ControlPlane } from "../../client/client.ts";
import { Aborted, ConfigError } from "../../client/errors.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import { deleteDeployment, isBeingDeleted } from "../apply.ts";
import { ownershipClause } from "../ownership.ts";
import { observeWorkspace } from "./observe.ts";
import { type ApplyFileOptions, type Outcome, skipped } from "./outcome.ts";
import { isOwnedByFile } from "./owner.ts";
import { selected } from "./plan.ts";
import { inDependencyOrder, Slots } from "./schedule.ts";

/** What a destroy deletes, and the declared deployments that it leaves alone because the file doesn't own them. */
export interface DestroyPlan {
  /** In the order of their deletion: what depends on others comes before them. */
  owned: readonly OwnedDeployment[];
  left: readonly { key: string; reason: string }[];
}

export interface OwnedDeployment {
  /** The key in the file; the name for what it no longer declares. */
  key: string;
  name: string;
  id: string;
}

/**
 * Finds what a file owns: what it declares and what it once declared, by the ownership marker alone.
 * @throws the client's errors
 */
export async function planDestroy(
  client: ControlPlane,
  declared: readonly DeclaredDeployment[],
  options: Pick<ApplyFileOptions, "owner" | "only" | "signal">,
): Promise<DestroyPlan> {
  const workspace = await observeWorkspace(client, options);
  const keys = new Map(selected(declared, options.only).map(({ key, desired }) => [desired.name, key]));
  const isOwned = (deployment: Deployment) => isOwnedByFile(deployment, options.owner);
  const undeclared = [...workspace.values()].filter(
    (deployment) => options.only === undefined && !keys.has(deployment.name) && isOwned(deployment),
  );
  const lastFirst = inDependencyOrder(selected(declared, options.only)).toReversed();
  const found = lastFirst.flatMap(({ desired }) => workspace.get(desired.name) ?? []);
  const named = (deployment: Deployment): OwnedDeployment => ({
    key: keys.get(deployment.name) ?? deployment.name,
    name: deployment.name,
    id: deployment.id,
  });
  return {
    owned: [...undeclared, ...found.filter(isOwned)].map(named),
    left: found
      .filter((deployment) => !isOwned(deployment))
      .map((deployment) => ({
        key: named(deployment).key,
        reason: `Deployment ${deployment.name} (${deployment.id}), ${ownershipClause(deployment)}, is left alone.`,
      })),
  };
}

/**
 * Deletes what a file owns, and waits until it is gone. A deployment is deleted only after those that depend on it.
 * @returns an outcome for each of `owned`
 */
export async function destroyFile(
  client: ControlPlane,
  declared: readonly DeclaredDeployment[],
  { owned }: DestroyPlan,
  options: ApplyFileOptions,
): Promise<Outcome[]> {
  const slots = new Slots(options.parallel);
  const outcomes = new Map<string, Promise<Outcome>>();
  for (const one of owned) {
    const dependents = declared.filter(({ dependsOn }) => dependsOn.includes(one.key)).map(({ key }) => key);
    const destroy = async (): Promise<Outcome> => {
      const before = await Promise.all(dependents.map((key) => outcomes.get(key)));
      const kept = before.find((outcome) => outcome !== undefined && outcome.result !== "deleted");
      if (kept !== undefined) return skipped(one.key, one.name, `${kept.key}, which depends on it, wasn't deleted.`);
      return slots.run(() => deleteOwned(client, one, options));
    };
    const outcome = destroy().then((ended) => {
      options.onOutcome?.(ended);
      return ended;
    });
    outcomes.set(one.key, outcome);
  }
  return Promise.all(outcomes.values());
}

/** Deletes one deployment, if its marker still names the file. */
export async function deleteOwned(
  client: ControlPlane,
  { key, name, id }: OwnedDeployment,
  { owner, signal, onDeploymentProgress }: ApplyFileOptions,
): Promise<Outcome> {
  const startedAtMs = client.clock.now();
  const outcome = (result: Outcome["result"], error?: Error): Outcome => {
    const durationMs = client.clock.now() - startedAtMs;
    return { key, name, result, deploymentId: id, content: [], error, durationMs };
  };
  if (signal?.aborted) return skipped(key, name, "The run was interrupted before it began.");
  try {
    const deployment = await client.deployments.find(id, { signal });
    if (deployment === undefined) return outcome("deleted");
    if (!isOwnedByFile(deployment, owner) && !isBeingDeleted(deployment)) {
      throw new ConfigError(
        `Deployment ${name} (${id}), ${ownershipClause(deployment)}, was taken over in the meantime, so it wasn't deleted.`,
        { path: "name" },
      );
    }
    const onProgress: ApplyFileOptions["onProgress"] = (event) => onDeploymentProgress?.(key, event);
    await deleteDeployment(client, id, { signal, onProgress });
    return outcome("deleted");
  } catch (error) {
    const isInterrupted = error instanceof Aborted || signal?.aborted === true;
    return outcome(isInterrupted ? "interrupted" : "failed", error instanceof Error ? error : new Error(String(error)));
  }
}
