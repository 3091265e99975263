import type { ControlPlane } from "../../client/client.ts";
import { Aborted, ConfigError } from "../../client/errors.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import { meaningOf } from "../../client/wire/revisions.ts";
import type { DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import { ownershipClause, readMarker } from "../ownership.ts";
import { reconcile } from "../reconcile.ts";
import { lastLiveRevision, rollBackTo } from "../rollback.ts";
import { type ApplyFileOptions, type Outcome, skipped } from "./outcome.ts";
import { deploymentOwner, isOwnedByFile } from "./owner.ts";
import { Slots } from "./schedule.ts";

export type RedeployOptions = Pick<
  ApplyFileOptions,
  "owner" | "parallel" | "limits" | "signal" | "onDeploymentProgress" | "onOutcome"
>;

/**
 * Rolls deployments of a file out again with the configuration that they have: a branch is built from its newest commit.
 * What the file declares doesn't matter but for the names.
 */
export async function redeployDeclared(
  client: ControlPlane,
  declared: readonly DeclaredDeployment[],
  options: RedeployOptions,
): Promise<Outcome[]> {
  const slots = new Slots(options.parallel);
  const redeploy = (one: DeclaredDeployment) =>
    change(client, one, options, async (deployment, known) => {
      const { name, source } = deployment;
      const { signal, limits, owner, onDeploymentProgress } = options;
      const run = reconcile(
        client,
        { name, source },
        {
          id: deployment.id,
          claim: { owner: deploymentOwner(owner, name), held: readMarker(deployment.secrets) },
          redeploy: "requested",
          limits,
          signal,
          onProgress: (event) => onDeploymentProgress?.(one.key, event),
        },
      );
      known.revisionId = (await run.started).revisionId;
      return (await run.live()).deployment;
    });
  return Promise.all(declared.map((one) => slots.run(() => redeploy(one))));
}

/**
 * Brings a revision back that was live before the one that serves now. The next apply brings the declared state again.
 * @param revisionId @default the last one that was live before
 */
export async function rollBackDeclared(
  client: ControlPlane,
  declared: DeclaredDeployment,
  revisionId: string | undefined,
  options: RedeployOptions,
): Promise<Outcome> {
  return change(client, declared, options, async (deployment, known) => {
    const { id, name, active_revision_id: active, latest_revision_id: latest } = deployment;
    const { signal, limits, onDeploymentProgress } = options;
    const target = revisionId ?? (await lastLiveRevision(client, id, active ?? latest ?? "", { signal }));
    if (revisionId !== undefined) await requireDeployed(client, id, revisionId, { signal });
    if (target === undefined) {
      throw new ConfigError(`Deployment ${name} (${id}) has no earlier revision that was live.`, {
        path: "to",
        hint: "Change the file and apply it instead.",
      });
    }
    const message = `Rolling back to revision ${target}: its source comes back, the environment stays as it is.`;
    onDeploymentProgress?.(declared.key, { type: "note", message });
    const { revision, deployment: live } = await rollBackTo(client, id, target, {
      limits,
      signal,
      onProgress: (event) => {
        if (event.type === "revision") known.revisionId = event.revisionId;
        onDeploymentProgress?.(declared.key, event);
      },
    });
    known.revisionId = revision.id;
    return live;
  });
}

/** @throws {@link ConfigError} for a revision that the deployment doesn't have, or that was never live */
async function requireDeployed(
  client: ControlPlane,
  deploymentId: string,
  revisionId: string,
  { signal }: Pick<RedeployOptions, "signal">,
): Promise<void> {
  const revisions = await client.revisions.list(deploymentId, {}, { signal }).all();
  const revision = revisions.find(({ id }) => id === revisionId);
  if (revision !== undefined && meaningOf(revision.status) === "deployed") return;
  const why = revision === undefined ? "isn't one of the deployment's" : `is ${revision.status}, and was never live`;
  throw new ConfigError(`Revision ${revisionId} ${why}, so nothing was rolled back.`, {
    path: "to",
    hint: "Name a revision that was live, or none for the last one.",
  });
}

/** Finds a deployment that the file owns, makes it roll out, and reports how that ended. */
async function change(
  client: ControlPlane,
  { key, desired }: DeclaredDeployment,
  { owner, signal, onOutcome }: RedeployOptions,
  rollOut: (deployment: Deployment, known: Partial<Outcome>) => Promise<Deployment>,
): Promise<Outcome> {
  const { name } = desired;
  const startedAtMs = client.clock.now();
  const known: Partial<Outcome> = {};
  const ended = (result: Outcome["result"], error?: Error): Outcome => {
    const durationMs = client.clock.now() - startedAtMs;
    return { key, name, content: [], ...known, result, error, durationMs };
  };
  const run = async (): Promise<Outcome> => {
    if (signal?.aborted) return skipped(key, name, "The run was interrupted before it began.");
    try {
      const { deployment } = await client.deployments.findByName(name, { signal });
      if (deployment === undefined) {
        throw new ConfigError(`There is no deployment ${name} yet.`, { path: "name", hint: "Apply the file first." });
      }
      known.deploymentId = deployment.id;
      if (!isOwnedByFile(deployment, owner)) {
        throw new ConfigError(
          `Deployment ${name} (${deployment.id}), ${ownershipClause(deployment)}, isn't this file's own, so it wasn't changed.`,
          { path: "name", hint: "Apply the file and set `adopt` to take it over first." },
        );
      }
      const live = await rollOut(deployment, known);
      known.url = live.source_config.custom_url ?? undefined;
      return ended("updated");
    } catch (error) {
      const isInterrupted = error instanceof Aborted || signal?.aborted === true;
      return ended(isInterrupted ? "interrupted" : "failed", error instanceof Error ? error : new Error(String(error)));
    }
  };
  const outcome = await run();
  onOutcome?.(outcome);
  return outcome;
}
