import { applyDesired } from "./application.ts";
import type { ControlPlane } from "./client.ts";
import { ensureExists } from "./creation.ts";
import { isBeingDeleted } from "./deletion.ts";
import type { DesiredDeployment } from "./desired.ts";
import { secretValuesOf } from "./environment.ts";
import { GraphDeployError, NotFoundError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { findPushedRevision } from "./pushed-revision.ts";
import { isFinalFailure, meaningOf } from "./revision-status.ts";
import { followRollout, type RolloutResult } from "./rollout.ts";
import { defaultRolloutLimits, type RolloutLimits } from "./rollout-limits.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

/** Options of every step. */
export interface StepOptions {
  /** The mark kept in the environment list, see `environment.ts`. */
  managedBy?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** A deployment brought to its desired configuration; the rollout may still be under way. */
export interface Ensured {
  deployment: Deployment;
  created: boolean;
  /** What to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

export interface CreateOptions extends StepOptions {
  /** @default false */
  adopt?: boolean | undefined;
  /** Called as soon as the deployment is ours, before anything else can fail. */
  onDeployment: (deployment: Deployment) => void;
}

/**
 * Observe and ensure for a deployment that has no id yet: create it, or go on with the existing one where that is allowed.
 * @throws the errors of {@link ensureExists} before `onDeployment` was called, those of the change after it.
 */
export async function create(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: CreateOptions,
): Promise<Ensured> {
  keepSecret(client, desired);
  const { deployment, created } = await ensureExists(client, desired, options);
  if (!created) {
    // It becomes ours only once it could be brought to what is declared: a refused adoption must not end in its deletion later.
    const adopted = await update(client, deployment.id, desired, { ...options, unreadable: "changed" });
    options.onDeployment(adopted.deployment);
    options.onProgress?.({ type: "deployment", deploymentId: deployment.id, created });
    return adopted;
  }
  options.onDeployment(deployment);
  options.onProgress?.({ type: "deployment", deploymentId: deployment.id, created });
  const revisionId = deployment.latest_revision_id ?? (await latestRevisionId(client, deployment.id, options));
  if (desired.displayName === undefined) return { deployment, created, revisionId };
  const { deployment: named } = await applyDesired(
    client,
    { name: deployment.name, source: deployment.source, displayName: desired.displayName },
    deployment,
    options,
  );
  return { deployment: named, created, revisionId };
}

export interface UpdateOptions extends StepOptions {
  /** What was declared when it was last applied. */
  previous?: DesiredDeployment | undefined;
  unreadable?: "same" | "changed" | undefined;
  /** Roll out again although nothing changed, and why. */
  redeploy?: string | undefined;
  /** The commit that must go live on a deployment that the platform builds on push. */
  pushedCommit?: string | undefined;
}

/**
 * Observe and ensure for a deployment with a known id. Sends only what differs; resumes an unfinished rollout instead of starting a second
 * one; rolls out again where the latest revision failed.
 */
export async function update(
  client: ControlPlane,
  id: string,
  desired: DesiredDeployment,
  options: UpdateOptions = {},
): Promise<Ensured> {
  keepSecret(client, desired, options.previous);
  const { signal, onProgress } = options;
  const observed = await client.getDeployment(id, { signal });
  client.redactor.add(secretValuesOf(observed, { ...options.previous?.env, ...desired.env }));
  if (isBeingDeleted(observed)) {
    throw new GraphDeployError(`Deployment ${observed.name} (${id}) is being deleted (${observed.status}).`, {
      hint: "Nothing was changed. Wait until it is gone, then deploy again to create it anew.",
    });
  }
  const applied = await applyDesired(client, desired, observed, options);
  const ensured = { deployment: applied.deployment, created: false };
  if (applied.revisionId !== undefined) return { ...ensured, revisionId: applied.revisionId };

  const latestId = applied.deployment.latest_revision_id ?? (await latestRevisionId(client, id, options));
  const latest = latestId === undefined ? undefined : await revisionIfFound(client, id, latestId, signal);
  const { pushedCommit } = options;
  if (pushedCommit !== undefined && latest?.source_revision_config.repo_commit_sha !== pushedCommit) {
    const pushed = await revisionOfCommit(client, desired, applied.deployment, pushedCommit, options);
    return { ...ensured, revisionId: pushed };
  }
  if (latestId === undefined) return { ...ensured, revisionId: undefined };
  const isLive =
    latest !== undefined &&
    meaningOf(latest.status) === "deployed" &&
    (applied.deployment.active_revision_id === undefined || applied.deployment.active_revision_id === latestId);
  if (isLive) return { ...ensured, revisionId: undefined };
  const state = deadEndOf(latest, client.clock.now());
  if (state !== undefined) {
    onProgress?.({ type: "note", message: `The latest revision ${latestId} ${state}; rolling out again.` });
    const redone = await applyDesired(client, desired, applied.deployment, {
      ...options,
      previous: undefined,
      unreadable: "same",
      redeploy: `the latest revision ${state}`,
    });
    return { deployment: redone.deployment, created: false, revisionId: redone.revisionId };
  }
  return { ...ensured, revisionId: latestId };
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
  options: UpdateOptions,
): Promise<string | undefined> {
  if (deployment.source_config.build_on_push === true) {
    const pushed = await findPushedRevision(client, { ...options, deploymentId: deployment.id, commit });
    if (pushed !== undefined) return pushed.id;
    const message = `The platform made no revision of commit ${commit}; making one.`;
    options.onProgress?.({ type: "note", message });
  }
  const redeploy = `commit ${commit} is to go live`;
  return (await applyDesired(client, desired, deployment, { ...options, redeploy })).revisionId;
}

export interface WaitOptions extends StepOptions {
  limits?: Partial<RolloutLimits> | undefined;
}

/** Waits until the ensured revision is live; at once when there is nothing to wait for. */
export async function waitUntilLive(
  client: ControlPlane,
  ensured: Ensured,
  options: WaitOptions = {},
): Promise<RolloutResult | undefined> {
  const { revisionId, deployment } = ensured;
  if (revisionId === undefined) return undefined;
  const webUrl = client.webUrl(deployment);
  options.onProgress?.({ type: "revision", deploymentId: deployment.id, revisionId, webUrl });
  return followRollout(client, { ...options, deploymentId: deployment.id, revisionId, webUrl });
}

/** A deployment as it is now, with its latest revision; `revision` is missing where that alone answers 404. */
export async function observe(
  client: ControlPlane,
  id: string,
  options: StepOptions = {},
): Promise<{ deployment: Deployment; revision: Revision | undefined }> {
  const deployment = await client.getDeployment(id, { signal: options.signal });
  const { latest_revision_id: latest } = deployment;
  const revision =
    latest === undefined || latest === null ? undefined : await revisionIfFound(client, id, latest, options.signal);
  return { deployment, revision };
}

async function latestRevisionId(client: ControlPlane, id: string, options: StepOptions): Promise<string | undefined> {
  return (await client.getDeployment(id, { signal: options.signal })).latest_revision_id ?? undefined;
}

async function revisionIfFound(client: ControlPlane, id: string, revisionId: string, signal: AbortSignal | undefined) {
  try {
    return await client.getRevision(id, revisionId, { signal });
  } catch (error) {
    // A 404 of something in front of the control plane tells nothing about the revision.
    if (error instanceof NotFoundError && error.answeredByControlPlane) return undefined;
    throw error;
  }
}

/** From here on no message shows the declared secret values, nor those declared before. */
function keepSecret(client: ControlPlane, desired: DesiredDeployment, previous?: DesiredDeployment): void {
  client.redactor.add(Object.values(previous?.secrets ?? {}));
  const secrets = Object.entries(desired.secrets ?? {});
  const short = secrets
    .filter(([, value]) => value !== "" && !client.redactor.isTooShort(value))
    .filter(([, value]) => client.redactor.add([value]).isTooShort(value))
    .map(([name]) => name);
  if (short.length > 0) {
    client.logger.warn(`Too short to be kept out of messages (under 4 characters): the values of ${short.join(", ")}.`);
  }
}
