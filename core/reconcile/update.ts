import type { ControlPlane } from "../client/client.ts";
import { GraphDeployError, ResponseError } from "../client/errors.ts";
import { isFromIntermediary, isTransient, recheckDelaysMs } from "../client/retry.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import type { Revision } from "../client/wire/revisions.ts";
import { isFinalFailure, meaningOf } from "../client/wire/revisions.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { defaultHeartbeatMs, defaultRolloutLimits, Heartbeat, type StepOptions } from "../rollout/waiting.ts";
import { type ApplyOptions, applyUpdate, isBeingDeleted } from "./apply.ts";
import { secretValuesOf } from "./environment.ts";
import type { PlanOptions } from "./plan.ts";

/** A deployment after a change; the rollout may still be in progress. */
export interface UpdatedDeployment {
  deployment: Deployment;
  /** The ownership marker that the change wrote; `undefined` when it wrote none. */
  marker: string | undefined;
  /** The revision to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

export interface UpdateOptions extends ApplyOptions {
  /** The commit that must go live on a deployment that the platform builds on push. */
  pushedCommit?: string | undefined;
  /** Called with the observed deployment before anything is changed; an error that it throws ends the change. */
  onObserved?: ((deployment: Deployment) => Pick<PlanOptions, "takesOver">) | undefined;
}

/**
 * Brings an existing deployment to its desired configuration. Sends only what differs, follows an unfinished rollout
 * instead of starting another, and rolls out again if the latest revision failed.
 */
export async function updateDeployment(
  client: ControlPlane,
  id: string,
  desired: DesiredDeployment,
  given: UpdateOptions,
): Promise<UpdatedDeployment> {
  const { signal, onProgress, pushedCommit } = given;
  const observed = await client.deployments.get(id, { signal });
  client.redactor.add(secretValuesOf(observed, { ...given.previous?.env, ...desired.env }));
  if (isBeingDeleted(observed)) {
    throw new GraphDeployError(`Deployment ${observed.name} (${id}) is being deleted (${observed.status}).`, {
      hint: "Nothing was changed. Wait until it is gone; the next run creates it.",
    });
  }
  const options = { ...given, ...given.onObserved?.(observed) };
  const { plan, ...applied } = await applyUpdate(client, desired, observed, options);
  const { marker } = plan;
  if (applied.revisionId !== undefined) return { ...applied, marker };

  const { deployment } = applied;
  const latestId = await latestRevisionId(client, deployment, options);
  const latest = typeof latestId === "string" ? await client.revisions.find(id, latestId, { signal }) : undefined;
  if (pushedCommit !== undefined && latest?.source_revision_config.repo_commit_sha !== pushedCommit) {
    return { deployment, marker, ...(await revisionOfCommit(client, desired, deployment, pushedCommit, options)) };
  }
  if (latestId === undefined || isLive(deployment, latest)) return { deployment, marker, revisionId: undefined };
  const deadEnd = deadEndOf(latest, client.clock.now());
  if (deadEnd === undefined) return { deployment, marker, revisionId: latestId ?? undefined };
  const what = latestId === null ? "The latest revision" : `The latest revision ${latestId}`;
  onProgress?.({ type: "note", message: `${what} ${deadEnd}; rolling out again.` });
  const redone = await applyUpdate(client, desired, deployment, {
    ...options,
    previous: undefined,
    unreadable: "same",
    redeploy: `the latest revision ${deadEnd}`,
  });
  return { deployment: redone.deployment, marker: redone.plan.marker ?? marker, revisionId: redone.revisionId };
}

/** Whether the latest revision serves the traffic. An older server doesn't report which one does. */
export function isLive({ active_revision_id: active }: Deployment, latest: Revision | undefined): boolean {
  const isDeployed = latest !== undefined && meaningOf(latest.status) === "deployed";
  return isDeployed && (active === undefined || active === latest.id);
}

/**
 * How long a DEPLOYED revision may stay without traffic before it is rolled out again, in milliseconds: twice what a
 * wait allows, since the platform's clock may differ.
 */
const unservedMs = 2 * defaultRolloutLimits.switchMs;

/** Why a latest revision that isn't live never will be; `undefined` while it may still go live. */
export function deadEndOf(latest: Revision | undefined, nowMs: number): string | undefined {
  if (latest === undefined) return "can't be found";
  if (isFinalFailure(latest.status)) return `ended as ${latest.status}`;
  const isUnserved = meaningOf(latest.status) === "deployed" && nowMs - Date.parse(latest.updated_at) >= unservedMs;
  return isUnserved ? `is ${latest.status} and never got traffic` : undefined;
}

/** The revision of a pushed commit: the platform's own where it builds on push, else one that is requested. */
async function revisionOfCommit(
  client: ControlPlane,
  desired: DesiredDeployment,
  deployment: Deployment,
  commit: string,
  options: UpdateOptions,
): Promise<Pick<UpdatedDeployment, "revisionId"> & Partial<UpdatedDeployment>> {
  if (deployment.source_config.build_on_push === true) {
    const pushed = await findPushedRevision(client, { ...options, deploymentId: deployment.id, commit });
    if (pushed !== undefined) return { revisionId: pushed.id };
    const message = `The platform made no revision of commit ${commit}; making one.`;
    options.onProgress?.({ type: "note", message });
  }
  const redeploy = `commit ${commit} must go live`;
  const { plan, ...made } = await applyUpdate(client, desired, deployment, { ...options, redeploy });
  return { ...made, ...(plan.marker === undefined ? {} : { marker: plan.marker }) };
}

/** The revision of a new deployment; `undefined` where an older server names none.
 * @throws {@link ResponseError} when the platform made none
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
    hint: "Check the deployment's page and run again.",
  });
}

/**
 * The latest revision, which the platform may name late; `null` when there is none, `undefined` where an older server
 * never names it, nor lists one.
 */
async function latestRevisionId(
  client: ControlPlane,
  { id, latest_revision_id: named }: Deployment,
  { signal }: StepOptions,
): Promise<string | null | undefined> {
  let latestId = named;
  for (const delay of [0, ...recheckDelaysMs]) {
    if (typeof latestId === "string") return latestId;
    await client.clock.sleep(delay, signal);
    latestId = (await client.deployments.get(id, { signal })).latest_revision_id;
    if (latestId === undefined) return newestRevisionId(client, id, signal);
  }
  return latestId;
}

/** The newest revision of the listing, for an older server that names none in a deployment. */
async function newestRevisionId(
  client: ControlPlane,
  deploymentId: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for await (const { id } of client.revisions.list(deploymentId, {}, { signal })) return id;
  return undefined;
}

/** How long the platform may take to start building a push, in milliseconds; after that a revision is requested. */
const pushGraceMs = 120_000;

/** How many of the newest revisions are searched for the commit. */
const maxSearched = 20;

export interface PushedRevisionOptions extends StepOptions {
  deploymentId: string;
  /** The full SHA of the pushed commit. */
  commit: string;
  /** @default 120 s */
  graceMs?: number | undefined;
}

/**
 * Waits for the revision that the platform makes for a pushed commit (`build_on_push`), since requesting another would
 * build twice; `undefined` when none appears in time. The wait outlasts an outage, unless it lasts until the deadline:
 * then its error is thrown, because it may hide the revision.
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
  for (let poll = 0; ; poll += 1) {
    let outage: Error | undefined;
    try {
      const revision = await searchNewest(client, deploymentId, commit, signal);
      if (revision !== undefined) return revision;
    } catch (error) {
      if (!isTransient(error) && !isFromIntermediary(error)) throw error;
      outage = error;
    }
    const now = client.clock.now();
    if (now >= deadline && outage !== undefined) throw outage;
    if (now >= deadline) return undefined;
    if (poll === 0) onProgress?.({ type: "note", message });
    const delay = Math.min(1_000 * 1.5 ** poll, 10_000) * (0.9 + 0.2 * client.random());
    await client.clock.sleep(Math.min(delay, Math.max(1, deadline - now)), signal);
  }
}

async function searchNewest(
  client: ControlPlane,
  deploymentId: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Revision | undefined> {
  let searched = 0;
  for await (const revision of client.revisions.list(deploymentId, {}, { signal })) {
    if (revision.source_revision_config.repo_commit_sha === commit) return revision;
    searched += 1;
    if (searched >= maxSearched) break;
  }
  return undefined;
}
