import { type ApplicationOptions, applyDesired } from "./application.ts";
import type { ControlPlane } from "./client.ts";
import { isBeingDeleted } from "./deletion.ts";
import type { DesiredDeployment } from "./desired.ts";
import { secretValuesOf } from "./environment.ts";
import { GraphDeployError, NotFoundError, ResponseError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { looksAfterMs } from "./lost-answer.ts";
import type { PlanOptions } from "./plan.ts";
import { findPushedRevision } from "./pushed-revision.ts";
import { isFinalFailure, meaningOf } from "./revision-status.ts";
import { defaultRolloutLimits } from "./rollout-limits.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

/** Options of every step. */
export interface StepOptions {
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** A deployment after a change of it; the rollout may still be under way. */
export interface Changed {
  deployment: Deployment;
  /** The ownership marker that the change wrote; `undefined` when it wrote none. */
  marker: string | undefined;
  /** What to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

export interface ChangeOptions extends StepOptions, PlanOptions, Pick<ApplicationOptions, "onMarked"> {
  /** The commit that must go live on a deployment that the platform builds on push. */
  pushedCommit?: string | undefined;
  /** Decides on what was observed, before anything is changed; what it throws ends the change. */
  onObserved?: ((deployment: Deployment) => Pick<PlanOptions, "takesOver">) | undefined;
}

/**
 * Brings a deployment to its desired configuration. Sends only what differs; resumes an unfinished rollout instead of starting a second one; rolls
 * out again where the latest revision failed.
 */
export async function change(
  client: ControlPlane,
  id: string,
  desired: DesiredDeployment,
  given: ChangeOptions,
): Promise<Changed> {
  const { signal, onProgress, pushedCommit } = given;
  const observed = await client.getDeployment(id, { signal });
  client.redactor.add(secretValuesOf(observed, { ...given.previous?.env, ...desired.env }));
  if (isBeingDeleted(observed)) {
    throw new GraphDeployError(`Deployment ${observed.name} (${id}) is being deleted (${observed.status}).`, {
      hint: "Nothing was changed. Wait until it is gone; the next run creates it.",
    });
  }
  const options = { ...given, ...given.onObserved?.(observed) };
  const applied = await applyDesired(client, desired, observed, options);
  const { marker } = applied.plan;
  const changed = { deployment: applied.deployment, marker };
  if (applied.revisionId !== undefined) return { ...changed, revisionId: applied.revisionId };

  const latestId = await latestRevisionId(client, applied.deployment, options);
  const latest = typeof latestId === "string" ? await revisionIfFound(client, id, latestId, signal) : undefined;
  if (pushedCommit !== undefined && latest?.source_revision_config.repo_commit_sha !== pushedCommit) {
    const pushed = await revisionOfCommit(client, desired, applied.deployment, pushedCommit, options);
    return { ...changed, ...pushed };
  }
  if (latestId === undefined) return { ...changed, revisionId: undefined };
  const isLive =
    latest !== undefined &&
    meaningOf(latest.status) === "deployed" &&
    (applied.deployment.active_revision_id === undefined || applied.deployment.active_revision_id === latestId);
  if (isLive) return { ...changed, revisionId: undefined };
  const state = deadEndOf(latest, client.clock.now());
  if (state !== undefined) {
    const what = latestId === null ? "The latest revision" : `The latest revision ${latestId}`;
    onProgress?.({ type: "note", message: `${what} ${state}; rolling out again.` });
    const redone = await applyDesired(client, desired, applied.deployment, {
      ...options,
      previous: undefined,
      unreadable: "same",
      redeploy: `the latest revision ${state}`,
    });
    return { deployment: redone.deployment, marker: redone.plan.marker ?? marker, revisionId: redone.revisionId };
  }
  return { ...changed, revisionId: latestId ?? undefined };
}

/**
 * How long a DEPLOYED revision may go unserved until only another rollout helps, in milliseconds: twice what a wait allows, since the platform's
 * clock may differ from this one.
 */
const unservedMs = 2 * defaultRolloutLimits.switchMs;

/** Why a latest revision that isn't live won't become so by waiting; `undefined` while it may. */
function deadEndOf(latest: Revision | undefined, nowMs: number): string | undefined {
  if (latest === undefined) return "can't be found";
  if (isFinalFailure(latest.status)) return `ended as ${latest.status}`;
  const isUnserved = meaningOf(latest.status) === "deployed" && nowMs - Date.parse(latest.updated_at) >= unservedMs;
  return isUnserved ? `is ${latest.status} and was never switched to` : undefined;
}

/** The revision of a pushed commit: the platform's own where it builds on push, else one made on purpose. */
async function revisionOfCommit(
  client: ControlPlane,
  desired: DesiredDeployment,
  deployment: Deployment,
  commit: string,
  options: ChangeOptions,
): Promise<Pick<Changed, "revisionId"> & Partial<Changed>> {
  if (deployment.source_config.build_on_push === true) {
    const pushed = await findPushedRevision(client, { ...options, deploymentId: deployment.id, commit });
    if (pushed !== undefined) return { revisionId: pushed.id };
    const message = `The platform made no revision of commit ${commit}; making one.`;
    options.onProgress?.({ type: "note", message });
  }
  const redeploy = `commit ${commit} is to go live`;
  const { plan, ...made } = await applyDesired(client, desired, deployment, { ...options, redeploy });
  return { ...made, ...(plan.marker === undefined ? {} : { marker: plan.marker }) };
}

/**
 * The revision of a deployment that was just created; `undefined` where an older server names none.
 * @throws {@link ResponseError} when there is none: nothing would go live
 */
export async function firstRevisionId(
  client: ControlPlane,
  deployment: Deployment,
  options: StepOptions,
): Promise<string | undefined> {
  const latestId = await latestRevisionId(client, deployment, options);
  if (latestId !== null) return latestId;
  const { id, name } = deployment;
  throw new ResponseError(`Deployment ${name} (${id}) was created, but the platform made no revision of it.`, {
    path: "latest_revision_id",
    hint: "Look at the deployment's page, and run again.",
  });
}

/** The latest revision, which the platform may name late; `null` when it has none, `undefined` where an older server names none at all. */
async function latestRevisionId(
  client: ControlPlane,
  { id, latest_revision_id: named }: Deployment,
  { signal }: StepOptions,
): Promise<string | null | undefined> {
  let latestId = named;
  for (const pause of [0, ...looksAfterMs]) {
    if (typeof latestId === "string") return latestId;
    await client.clock.sleep(pause, signal);
    latestId = (await client.getDeployment(id, { signal })).latest_revision_id;
    if (latestId === undefined) return undefined;
  }
  return latestId;
}

export async function revisionIfFound(
  client: ControlPlane,
  id: string,
  revisionId: string,
  signal: AbortSignal | undefined,
) {
  try {
    return await client.getRevision(id, revisionId, { signal });
  } catch (error) {
    // A 404 of something in front of the control plane tells nothing about the revision.
    if (error instanceof NotFoundError && error.answeredByControlPlane) return undefined;
    throw error;
  }
}
