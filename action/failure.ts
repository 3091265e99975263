import { Aborted, Interrupted, RolloutError, RolloutTimeout, Superseded, TimeoutError } from "../core/client/errors.ts";
import { formatDuration } from "../core/time.ts";
import type { Result } from "./operations.ts";
import type { Session } from "./session.ts";

/** The result of a run that failed with `error`. */
export function resultOf(error: unknown): Result {
  if (error instanceof Aborted) return "cancelled";
  if (error instanceof Superseded) return "superseded";
  if (error instanceof Interrupted) return "interrupted";
  if (error instanceof RolloutTimeout) return "timed-out";
  return "failed";
}

/** Whether the rollout itself failed, so that a rollback helps. */
export function isFailedRollout(error: unknown): boolean {
  return error instanceof RolloutError && resultOf(error) === "failed";
}

/** The message of an error without the log tail, which is shown separately. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof RolloutError) || error.logTail.length === 0) return error.message;
  const [first = ""] = error.message.split("\n", 1);
  return error.hint === undefined ? first : `${first} ${error.hint}`;
}

/** The lines of an error's log tail. */
export function logTailOf(error: unknown): string[] {
  return error instanceof RolloutError ? error.logTail.flatMap(({ message }) => message.split(/\r?\n/)) : [];
}

/**
 * Interrupts the revision if the inputs say so. @returns what continues on the platform, in time before the runner
 * kills the process
 */
export async function handleCancel(session: Session, isDeletion: boolean): Promise<string> {
  const { client, inputs, report } = session;
  const { deploymentId, revisionId, webUrl } = report;
  const page = webUrl === undefined ? "" : ` Its page: ${webUrl}`;
  if (isDeletion) return "Cancelled. A deletion in progress continues on the platform.";
  if (revisionId === undefined || deploymentId === undefined) {
    return "Cancelled before a revision was known. What was requested of the platform continues; run again to see.";
  }
  if (inputs.onCancel === "interrupt") {
    try {
      await client.revisions.interrupt(deploymentId, revisionId, { deadlineMs: 2_000 });
      return `Cancelled. Requested that the platform interrupt revision ${revisionId}.${page}`;
    } catch (error) {
      const why = error instanceof TimeoutError ? `no response within ${formatDuration(2_000)}` : messageOf(error);
      return `Cancelled. Revision ${revisionId} couldn't be interrupted (${why}), so it continues.${page}`;
    }
  }
  return `Cancelled. Revision ${revisionId} continues on the platform and may still go live.${page}`;
}
