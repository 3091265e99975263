import type { ControlPlane } from "../client/client.ts";
import { BadRequestError, ConflictError, isGone, TimeoutError } from "../client/errors.ts";
import { isFromIntermediary, isTransient } from "../client/retry.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import { defaultHeartbeatMs, Heartbeat, lastPollMs, type StepOptions } from "../rollout/waiting.ts";
import { formatDuration } from "../time.ts";

/** How long a deletion may take, in milliseconds. */
const defaultDeletionTimeoutMs = 600_000;

export interface DeletionOptions extends StepOptions {
  /** @default false */
  deleteTracingProject?: boolean | undefined;
  /** @default 600 s */
  timeoutMs?: number | undefined;
}

/** Whether a deletion is in progress: the deployment can still be read but not changed. */
export function isBeingDeleted({ status }: Deployment): boolean {
  return status === "AWAITING_DELETE" || status === "AWAITING_FINAL_DELETE";
}

/**
 * Deletes a deployment and waits until the control plane reports that it is gone. Returns at once for one that is gone
 * already.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that
 * doesn't name the id
 */
export async function deleteDeployment(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { signal, deleteTracingProject } = options;
  try {
    await client.deployments.delete(id, { signal, ...(deleteTracingProject === true ? { deleteTracingProject } : {}) });
  } catch (error) {
    if (isGone(error, id)) return;
    // A server may refuse to delete a deployment whose deletion is in progress.
    const isRefused = error instanceof BadRequestError || error instanceof ConflictError;
    if (!isRefused || !(await isEnding(client, id, signal))) throw error;
  }
  await waitUntilGone(client, id, options);
}

async function isEnding(client: ControlPlane, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return isBeingDeleted(await client.deployments.get(id, { signal }));
  } catch (error) {
    return isGone(error, id);
  }
}

/**
 * Waits for the end of a deletion in progress.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that
 * doesn't name the id
 */
export async function waitUntilGone(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { timeoutMs = defaultDeletionTimeoutMs, signal, onProgress } = options;
  const startedAt = client.clock.now();
  const deadline = startedAt + timeoutMs;
  let seen: { status: string | undefined } | undefined;
  const report = () => {
    const elapsedMs = client.clock.now() - startedAt;
    onProgress?.({ type: "deleting", deploymentId: id, status: seen?.status, elapsedMs });
  };
  using heartbeat = new Heartbeat(client.clock, defaultHeartbeatMs, report);
  for (let poll = 0; ; poll += 1) {
    let status: string | undefined;
    try {
      const deadlineMs = Math.max(lastPollMs, deadline - client.clock.now());
      status = (await client.deployments.get(id, { signal, deadlineMs })).status ?? undefined;
    } catch (error) {
      if (isGone(error, id)) return;
      if (!isTransient(error) && !isFromIntermediary(error)) throw error;
    }
    const now = client.clock.now();
    if (seen === undefined || seen.status !== status) {
      seen = { status };
      heartbeat.restart();
      report();
    }
    if (now >= deadline) {
      throw new TimeoutError(
        `Deployment ${id} is still ${status ?? "there"} ${formatDuration(timeoutMs)} after its deletion began; the platform continues deleting it. Run again to keep waiting.`,
      );
    }
    const delay = Math.min(500 * 1.5 ** poll, 5_000) * (0.9 + 0.2 * client.random());
    await client.clock.sleep(Math.min(delay, Math.max(1, deadline - now)), signal);
  }
}
