import { ownerOf, readMarker } from "../core/reconcile/ownership.ts";
import { lastLiveRevision, rollBackTo } from "../core/reconcile/rollback.ts";
import { isSameOwner } from "./origin.ts";
import type { Session } from "./session.ts";

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
    const last = await lastLiveRevision(client, deploymentId, revisionId, { signal });
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
    const { revision } = await rollBackTo(client, deploymentId, last, {
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
