import type { ControlPlane } from "./client.ts";
import type { OnProgress } from "./events.ts";
import { defaultHeartbeatMs, Heartbeat } from "./heartbeat.ts";
import { isPassingFailure, isStandIn } from "./passing-failure.ts";
import type { Revision } from "./wire/revision.ts";

/** How long the platform may take to begin the build of a push, in milliseconds; after that a revision is made on purpose. */
export const pushGraceMs = 120_000;

/** Revisions that are looked through for the commit: the newest ones. */
const newest = 20;

export interface PushedRevisionOptions {
  deploymentId: string;
  /** The full SHA of the pushed commit. */
  commit: string;
  /** @default {@link pushGraceMs} */
  graceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * The revision that the platform makes by itself for a pushed commit (`build_on_push`). Asking for one as well would build twice, so this
 * waits for it; `undefined` when none appears in time. An outage meanwhile is waited out, and thrown when it lasts to the end: it may hide the
 * revision.
 */
export async function findPushedRevision(
  client: ControlPlane,
  options: PushedRevisionOptions,
): Promise<Revision | undefined> {
  const { deploymentId, commit, graceMs = pushGraceMs, signal, onProgress } = options;
  const startedAt = client.clock.now();
  const deadline = startedAt + graceMs;
  const message = `Waiting for the platform's own build of commit ${commit}.`;
  using _heartbeat = new Heartbeat(client.clock, defaultHeartbeatMs, () => {
    onProgress?.({ type: "waiting", message, elapsedMs: client.clock.now() - startedAt });
  });
  for (let look = 0; ; look += 1) {
    let outage: Error | undefined;
    try {
      const revision = await amongNewest(client, deploymentId, commit, signal);
      if (revision !== undefined) return revision;
    } catch (error) {
      if (!isPassingFailure(error) && !isStandIn(error)) throw error;
      outage = error;
    }
    const now = client.clock.now();
    if (now >= deadline && outage !== undefined) throw outage;
    if (now >= deadline) return undefined;
    if (look === 0) onProgress?.({ type: "note", message });
    const pause = Math.min(1_000 * 1.5 ** look, 10_000) * (0.9 + 0.2 * client.random());
    await client.clock.sleep(Math.min(pause, Math.max(1, deadline - now)), signal);
  }
}

async function amongNewest(
  client: ControlPlane,
  deploymentId: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Revision | undefined> {
  let seen = 0;
  for await (const revision of client.listRevisions(deploymentId, {}, { signal })) {
    if (revision.source_revision_config.repo_commit_sha === commit) return revision;
    seen += 1;
    if (seen >= newest) break;
  }
  return undefined;
}
