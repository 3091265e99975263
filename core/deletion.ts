import type { ControlPlane } from "./client.ts";
import { formatDuration } from "./duration.ts";
import { BadRequestError, ConflictError, isGone, TimeoutError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { defaultHeartbeatMs, Heartbeat } from "./heartbeat.ts";
import { isPassingFailure, isStandIn } from "./passing-failure.ts";
import type { Deployment } from "./wire/deployment.ts";

/** From the request until the deployment must be gone, in milliseconds. */
export const defaultDeletionTimeoutMs = 600_000;

/** For the answer to the look that is taken at the deadline, in milliseconds. */
const lastLookMs = 5_000;

export interface DeletionOptions {
  deleteTracingProject?: boolean | undefined;
  /** @default {@link defaultDeletionTimeoutMs} */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** Whether a deletion is under way: the deployment still answers, and takes no change any more. */
export function isBeingDeleted({ status }: Deployment): boolean {
  return status === "AWAITING_DELETE" || status === "AWAITING_FINAL_DELETE";
}

/**
 * Deletes a deployment and waits until the control plane itself says that it is gone. One that is gone already is done.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that doesn't name the id.
 */
export async function deleteDeployment(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { signal, deleteTracingProject } = options;
  try {
    await client.deleteDeployment(id, { signal, ...(deleteTracingProject === true ? { deleteTracingProject } : {}) });
  } catch (error) {
    if (isGone(error, id)) return;
    // A server may refuse to delete what it is deleting already.
    const isRefused = error instanceof BadRequestError || error instanceof ConflictError;
    if (!isRefused || !(await isEnding(client, id, signal))) throw error;
  }
  await awaitGone(client, id, options);
}

async function isEnding(client: ControlPlane, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return isBeingDeleted(await client.getDeployment(id, { signal }));
  } catch (error) {
    return isGone(error, id);
  }
}

/**
 * Waits for the end of a deletion that has begun.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that doesn't name the id.
 */
export async function awaitGone(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { timeoutMs = defaultDeletionTimeoutMs, signal, onProgress } = options;
  const startedAt = client.clock.now();
  const deadline = startedAt + timeoutMs;
  let seen: { status: string | undefined } | undefined;
  const tell = () => {
    const elapsedMs = client.clock.now() - startedAt;
    onProgress?.({ type: "deleting", deploymentId: id, status: seen?.status, elapsedMs });
  };
  using heartbeat = new Heartbeat(client.clock, defaultHeartbeatMs, tell);
  for (let look = 0; ; look += 1) {
    let status: string | undefined;
    try {
      const deadlineMs = Math.max(lastLookMs, deadline - client.clock.now());
      status = (await client.getDeployment(id, { signal, deadlineMs })).status ?? undefined;
    } catch (error) {
      if (isGone(error, id)) return;
      if (!isPassingFailure(error) && !isStandIn(error)) throw error;
    }
    const now = client.clock.now();
    if (seen === undefined || seen.status !== status) {
      seen = { status };
      heartbeat.restart();
      tell();
    }
    if (now >= deadline) {
      throw new TimeoutError(
        `Deployment ${id} is still ${status ?? "there"} ${formatDuration(timeoutMs)} after its deletion began; the platform goes on with it. Run again to wait for its end.`,
      );
    }
    const pause = Math.min(500 * 1.5 ** look, 5_000) * (0.9 + 0.2 * client.random());
    await client.clock.sleep(Math.min(pause, Math.max(1, deadline - now)), signal);
  }
}
