import type { ControlPlane } from "../client/client.ts";
import { ResponseError } from "../client/errors.ts";
import { followRollout, type RolloutOptions, type RolloutResult } from "../rollout/follow.ts";
import type { StepOptions } from "../rollout/waiting.ts";

/** How many revisions are searched for one that was live. */
const maxSearched = 100;

/**
 * The id of the last revision that was live before or beside the given one; `undefined` where none is among the newest.
 * @throws the client's errors
 */
export async function lastLiveRevision(
  client: ControlPlane,
  deploymentId: string,
  exceptId: string,
  { signal }: StepOptions,
): Promise<string | undefined> {
  let seen = 0;
  for await (const { id, status } of client.revisions.list(deploymentId, { status: ["DEPLOYED"] }, { signal })) {
    if (id !== exceptId && status === "DEPLOYED") return id;
    seen += 1;
    if (seen >= maxSearched) break;
  }
  return undefined;
}

/**
 * Rolls out a copy of a revision and waits until it is live. The source comes back; the environment stays as it is.
 * @throws as {@link followRollout}; {@link ResponseError} when the platform names no new revision
 */
export async function rollBackTo(
  client: ControlPlane,
  deploymentId: string,
  revisionId: string,
  options: Pick<RolloutOptions, "limits" | "signal" | "onProgress">,
): Promise<RolloutResult> {
  const { signal } = options;
  const deployment = await client.revisions.redeploy(deploymentId, revisionId, { signal });
  const { latest_revision_id: copyId } = deployment;
  if (copyId === undefined || copyId === null) {
    throw new ResponseError(`The platform made no copy of revision ${revisionId}.`, {
      path: "latest_revision_id",
      hint: "Check the deployment's page and run again.",
    });
  }
  const webUrl = client.webUrl(deployment);
  return followRollout(client, { ...options, deploymentId, revisionId: copyId, webUrl });
}
