import type { ControlPlane } from "./client.ts";
import { formatDuration } from "./duration.ts";
import { isGone, TimeoutError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { isPassingFailure } from "./passing-failure.ts";

/** From the request until the deployment must be gone, in milliseconds. */
export const defaultDeletionTimeoutMs = 600_000;

/** For the answer to the look that is taken at the deadline, in milliseconds. */
const lastLookMs = 5_000;

/** Between two signs of life while the status stays the same, in milliseconds. */
const heartbeatMs = 30_000;

export interface DeletionOptions {
  deleteTracingProject?: boolean | undefined;
  /** @default {@link defaultDeletionTimeoutMs} */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Deletes a deployment and waits until the control plane itself says that it is gone. One that is gone already is done.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that doesn't name the id.
 */
export async function deleteDeployment(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { timeoutMs = defaultDeletionTimeoutMs, signal, onProgress, deleteTracingProject } = options;
  const startedAt = client.clock.now();
  const deadline = startedAt + timeoutMs;
  try {
    await client.deleteDeployment(id, { signal, ...(deleteTracingProject === true ? { deleteTracingProject } : {}) });
  } catch (error) {
    if (isGone(error, id)) return;
    throw error;
  }
  let told: { status: string | undefined; atMs: number } | undefined;
  for (let look = 0; ; look += 1) {
    let status: string | undefined;
    try {
      const deadlineMs = Math.max(lastLookMs, deadline - client.clock.now());
      status = (await client.getDeployment(id, { signal, deadlineMs })).status ?? undefined;
    } catch (error) {
      if (isGone(error, id)) return;
      if (!isPassingFailure(error)) throw error;
    }
    const now = client.clock.now();
    if (told === undefined || told.status !== status || now - told.atMs >= heartbeatMs) {
      told = { status, atMs: now };
      onProgress?.({ type: "deleting", deploymentId: id, status, elapsedMs: now - startedAt });
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
