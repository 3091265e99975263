import { isSameOwner } from "../core/reconcile/origin.ts";
import { ownerOf, readMarker } from "../core/reconcile/ownership.ts";
import { followRollout } from "../core/rollout/follow.ts";
import type { Session } from "./session.ts";

/** How many revisions are searched for one that was live. */
const maxSearched = 100;

/**
 * Rolls the deployment back to the last revision that was live before the one of this run. Best effort: the run reports
 * the failure that caused it.
 * @param owner the deployment's owner; if it has another by now, nothing is rolled back
 */
export async function rollBack(
  { client, console, inputs, progress, report, signal }: Session,
  owner: string,
): Promise<void> {
  const { deploymentId, revisionId } = report;
  if (deploymentId === undefined || revisionId === undefined) return;
  try {
    let seen = 0;
    let last: string | undefined;
    for await (const { id, status } of client.revisions.list(deploymentId, { status: ["DEPLOYED"] }, { signal })) {
      seen += 1;
      if (id !== revisionId && status === "DEPLOYED") last = id;
      if (last !== undefined || seen >= maxSearched) break;
    }
    const { latest_revision_id: latest, secrets } = await client.deployments.get(deploymentId, { signal });
    const marker = readMarker(secrets);
    if (marker !== undefined && !isSameOwner(marker, owner)) {
      console.warning(`The deployment is owned by ${ownerOf(marker)} now, so nothing was rolled back.`);
      return;
    }
    if (latest !== undefined && latest !== null && latest !== revisionId) {
      console.warning(
        `Revision ${latest} was started in the meantime, and a rollback would replace it, so nothing was rolled back.`,
      );
      return;
    }
    if (last === undefined) {
      console.warning("There is no earlier revision that was live, so nothing was rolled back.");
      return;
    }
    console.info(
      `Rolling back to revision ${last}. Its source comes back; environment variables and secrets stay as they are now.`,
    );
    const failedStatus = report.status;
    const { latest_revision_id: newId } = await client.revisions.redeploy(deploymentId, last, { signal });
    if (newId === undefined || newId === null) throw new Error("the platform named no new revision");
    const { revision } = await followRollout(client, {
      deploymentId,
      revisionId: newId,
      limits: { timeoutMs: inputs.timeoutMs },
      signal,
      // The report stays about the failed revision.
      onProgress: (event) => {
        if (event.type === "status") console.info(`Rollback: ${event.status}`);
        else if (event.type === "warning") progress.onProgress(event);
      },
    });
    report.rolledBackTo = last;
    if (failedStatus !== undefined) report.status = failedStatus;
    console.warning(`Rolled back: revision ${revision.id}, a copy of ${last}, is live. Secrets were not restored.`);
  } catch (error) {
    if (signal.aborted) throw error;
    console.warning(`The rollback failed: ${error instanceof Error ? error.message : error}`);
  }
}
