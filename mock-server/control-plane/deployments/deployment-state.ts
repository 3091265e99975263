import { timeOf } from "../revisions/rollout.ts";
import type { DeploymentRecord, RevisionRecord } from "../store/records.ts";

/** Whether a deletion has finished: reads then get 404, and the name is free. */
export function isDeleted({ deletion }: DeploymentRecord, now: number): boolean {
  return deletion !== null && deletion.goneAt !== null && deletion.goneAt <= now;
}

export function deploymentStatus({ deletion, readyAt }: DeploymentRecord, now: number): string {
  if (deletion)
    return deletion.finalAt !== null && deletion.finalAt <= now ? "AWAITING_FINAL_DELETE" : "AWAITING_DELETE";
  return readyAt !== null && readyAt <= now ? "READY" : "AWAITING_DATABASE";
}

/** The live revision: the newest of those whose activation has come; `null` before the first. */
export function activeRevisionId({ activations }: DeploymentRecord, now: number): string | null {
  let active: { revisionId: string; sequence: number } | undefined;
  for (const activation of activations) {
    if (activation.at <= now && activation.sequence > (active?.sequence ?? -1)) active = activation;
  }
  return active?.revisionId ?? null;
}

/** Whether a listener reconciles the deployment in the customer's cluster: true for images with a `listener_id`. */
export function isRemoteReconciled({ source, sourceConfig }: DeploymentRecord): boolean {
  return source === "external_docker" && (sourceConfig.listener_id ?? null) !== null;
}

/** The tag of the image that an `external_docker` deployment runs; `null` for other sources and untagged images. */
export function imageVersion({ source, revisionConfig }: DeploymentRecord): string | null {
  if (source !== "external_docker") return null;
  return /:([^:/@]+)(@|$)/.exec(revisionConfig.image_uri ?? "")?.[1] ?? null;
}

/** A deployment after the timeline of `revision` changed. */
export function withTimelineOf(record: DeploymentRecord, revision: RevisionRecord, now: number): DeploymentRecord {
  return { ...record, ...timelineAfter(record, revision, now) };
}

/** The part of a deployment that follows from the timelines of its revisions. */
type DeploymentTimeline = Pick<DeploymentRecord, "activations" | "readyAt">;

/** The activations of other revisions that still matter: that of the live revision, and future ones. */
function lastingActivations(all: DeploymentTimeline["activations"], revisionId: string, now: number) {
  const others = all.filter((activation) => activation.revisionId !== revisionId);
  const past = others.filter(({ at }) => at <= now);
  const serving = past.reduce((newest, { sequence }) => Math.max(newest, sequence), -1);
  return others.filter(({ at, sequence }) => at > now || sequence === serving);
}

/** The timeline of a deployment after that of one of its revisions changed. */
export function timelineAfter(record: DeploymentTimeline, revision: RevisionRecord, now: number): DeploymentTimeline {
  const deployedAt = timeOf(revision.transitions, "DEPLOYED") ?? null;
  const lasting = lastingActivations(record.activations, revision.id, now);
  const { id: revisionId, sequence, activeDelay } = revision;
  const activations =
    deployedAt !== null && activeDelay !== null
      ? [...lasting, { revisionId, sequence, at: deployedAt + activeDelay }]
      : lasting;
  const isReady = record.readyAt !== null && record.readyAt <= now;
  return { activations, readyAt: isReady ? record.readyAt : deployedAt };
}

/** The timeline of a deployment without revisions. */
export const emptyTimeline: DeploymentTimeline = { activations: [], readyAt: null };
