import type { ControlPlane } from "../client/client.ts";
import {
  Interrupted,
  type NotFoundError,
  RolloutError,
  type RolloutErrorOptions,
  RolloutTimeout,
  Superseded,
  withoutHint,
} from "../client/errors.ts";
import type { LogEntry } from "../client/wire/revisions.ts";
import { formatDuration } from "../time.ts";

/** What every error about a failed rollout holds. */
export type FailedRollout = Pick<RolloutErrorOptions, "deploymentId" | "revisionId" | "status" | "webUrl">;

export async function failed(client: ControlPlane, rollout: FailedRollout): Promise<RolloutError> {
  return new RolloutError(`Revision ${rollout.revisionId} ended as ${rollout.status}.`, {
    ...rollout,
    logTail: await logTail(client, rollout),
    hint: "Read the log, fix the cause and deploy again; the deployment's earlier revision, if any, still serves.",
  });
}

export async function interrupted(client: ControlPlane, rollout: FailedRollout): Promise<Interrupted> {
  return new Interrupted(`Revision ${rollout.revisionId} was interrupted on the platform and didn't continue.`, {
    ...rollout,
    logTail: await logTail(client, rollout),
    hint: "Deploy again to make a new revision.",
  });
}

export async function timedOut(
  client: ControlPlane,
  rollout: FailedRollout,
  timeoutMs: number,
): Promise<RolloutTimeout> {
  return new RolloutTimeout(
    `Revision ${rollout.revisionId} is still ${rollout.status} after ${formatDuration(timeoutMs)}; the rollout continues and may still succeed.`,
    {
      ...rollout,
      logTail: await logTail(client, rollout),
      hint: "Wait longer with a larger timeout, or run again to follow the same revision.",
    },
  );
}

/** Time and reason of an outage of the control plane. */
export interface Outage {
  /** Since the last successful read, in milliseconds. */
  unreadMs: number;
  error: Error;
}

/** The deadline passed during an outage: nothing is known of the rollout since, and no log is requested. */
export function lostSight(rollout: FailedRollout, { unreadMs, error }: Outage): RolloutTimeout {
  return new RolloutTimeout(
    `Revision ${rollout.revisionId} was last seen ${rollout.status} ${formatDuration(unreadMs)} ago: the control plane can't be read (${withoutHint(error).replace(/\.$/, "")}). Whether the revision is live isn't known.`,
    {
      ...rollout,
      hint: "Check that the control plane can be reached from here, then run again to follow the same revision.",
    },
  );
}

/** @param latest the deployment's latest revision, if known */
export function superseded(rollout: FailedRollout, latest: string | undefined): Superseded {
  const supersededBy = latest === rollout.revisionId ? undefined : latest;
  return new Superseded(
    `Revision ${rollout.revisionId} was superseded${supersededBy === undefined ? "" : ` by ${supersededBy}`} before it was live.`,
    {
      ...rollout,
      supersededBy,
      hint: "A newer deploy or push took its place: follow that revision, or deploy again.",
    },
  );
}

export function deploymentGone(rollout: FailedRollout): RolloutError {
  return new RolloutError(
    `Deployment ${rollout.deploymentId} was deleted while its revision ${rollout.revisionId} rolled out.`,
    { ...rollout, hint: "Deploy again to recreate it." },
  );
}

export function revisionGone(rollout: FailedRollout, { detail }: NotFoundError): RolloutError {
  return new RolloutError(`Revision ${rollout.revisionId} can't be found any longer: ${detail}.`, {
    ...rollout,
    hint: "Deploy again to make a new revision.",
  });
}

/** @param active the revision that serves instead */
export function notSwitched(rollout: FailedRollout, active: string | null | undefined, switchMs: number): RolloutError {
  return new RolloutError(
    `Revision ${rollout.revisionId} is DEPLOYED, but ${formatDuration(switchMs)} later, deployment ${rollout.deploymentId} still serves ${active ?? "no revision"}.`,
    { ...rollout, hint: "Check the deployment's page; deploy again if it doesn't switch." },
  );
}

/** The most log lines that an error holds. */
const maxTailLines = 30;

/** How long reading the log may delay the error, in milliseconds. */
const logDeadlineMs = 10_000;

/**
 * The last lines of the log that explains a revision's status, oldest first: of the deploy log once it deploys, of the
 * build log before. Best effort: empty when the log can't be read, so that this never hides the failure itself.
 */
async function logTail(client: ControlPlane, { deploymentId, revisionId, status }: FailedRollout): Promise<LogEntry[]> {
  const kinds = ["buildLogs", "deployLogs"] as const;
  for (const kind of /DEPLOY/.test(status) ? kinds.toReversed() : kinds) {
    try {
      const query = { order: "desc", limit: maxTailLines } as const;
      const { logs } = await client.revisions[kind](deploymentId, revisionId, query, { deadlineMs: logDeadlineMs });
      // Lines with the same timestamp come newest first as well.
      if (logs.length > 0) return logs.toReversed().sort(byTime).slice(-maxTailLines);
    } catch (error) {
      client.logger.debug("The log can't be read.", { error: error instanceof Error ? error.message : String(error) });
    }
  }
  return [];
}

function byTime(a: LogEntry, b: LogEntry): number {
  return timeOf(a) - timeOf(b);
}

function timeOf({ timestamp }: LogEntry): number {
  const time = typeof timestamp === "number" ? timestamp : Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? 0 : time;
}
