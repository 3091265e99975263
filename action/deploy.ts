import { applyDesired } from "../core/application.ts";
import { firstRevisionId } from "../core/change.ts";
import { ensureExists } from "../core/creation.ts";
import { isBeingDeleted } from "../core/deletion.ts";
import type { DesiredDeployment } from "../core/desired.ts";
import { ApiError, ConfigError, NameInUse } from "../core/errors.ts";
import type { Claim } from "../core/ownership.ts";
import { readMarker } from "../core/ownership-marker.ts";
import { type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { droppableNames, pushedCommitOf, unsentNames, withKeptReferences } from "./declaration.ts";
import type { WorkflowEvent } from "./event.ts";
import { isFailedRollout } from "./failure.ts";
import { revisionToFollow, revisionUnderWay } from "./followed-revision.ts";
import { findIntegration } from "./integration.ts";
import { claimOf, isSameOwner, ownerFor, whyNotOurs } from "./ownership.ts";
import type { Report } from "./report.ts";
import type { Session } from "./session.ts";
import { testDeployment } from "./smoke-test.ts";
import type { TargetSource } from "./target.ts";

/** One deployment that is to be brought to a ref. */
export interface Task {
  desired: DesiredDeployment;
  source: TargetSource;
  /** In the ownership marker of the deployment. */
  owner: string;
  /** A preview is changed only where its marker names this owner; anything else that has its name is somebody's. */
  isPreview: boolean;
  /** Whether an earlier attempt of this run made a revision, as far as GitHub's list of deployments shows it. */
  isOwn: (revisionId: string) => boolean;
}

/**
 * Creates the deployment or rolls out the ref, waits until it is live and tests it.
 * @throws the core's errors; {@link SmokeTestError}
 */
export async function deploy(session: Session, task: Task): Promise<void> {
  const { client, console, progress, inputs, report, signal } = session;
  const { onProgress } = progress;
  const { deployment: existing } = await client.findByName(task.desired.name, { signal });
  // The creation waits for the end of a deletion, which an earlier run or somebody else may have begun.
  const isFree = existing === undefined || isBeingDeleted(existing);
  const ensured: Begun = isFree ? await create(session, task) : await rollOut(session, task, existing);
  progress.tellDeployment(ensured.deployment, ensured.origin === "created");
  if (ensured.revisionId !== undefined && !inputs.wait) return leave(report, ensured.revisionId);
  const wait = (begun: Ensured) =>
    waitUntilLive(client, begun, { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress });
  let live: Awaited<ReturnType<typeof waitUntilLive>>;
  try {
    live = await wait(ensured);
  } catch (error) {
    if (ensured.doubt !== undefined && isFailedRollout(error)) console.warning(ensured.doubt);
    throw error;
  }
  const built = live?.revision.source_revision_config.repo_commit_sha ?? undefined;
  const { commit } = task.source;
  // Its commit wasn't known when it was followed: the branch may have moved since then, and may have been behind it.
  if (ensured.isFollowed === true && built !== undefined && commit !== undefined && built !== commit) {
    console.info(
      `Revision ${ensured.revisionId} turned out to be of commit ${built}, not of ${commit}: rolling out again.`,
    );
    live = await wait(await rollOut(session, task, live?.deployment ?? ensured.deployment, { mayFollow: false }));
  }
  await finish(session, task.source, live, ensured.deployment.id);
}

/** A deployment whose rollout was begun, or was under way. */
interface Begun extends Ensured {
  /** What may be the cause if its rollout fails. */
  doubt?: string | undefined;
  /** The revision is one of an earlier run. */
  isFollowed?: boolean;
}

/** Rolls the present ref of a deployment out again. */
export async function redeploy(session: Session): Promise<void> {
  const { client, console, event, inputs, progress, report, signal } = session;
  const { name } = inputs.declared;
  const { deployment } = await client.findByName(name, { signal });
  if (deployment === undefined) {
    throw new ConfigError(`name: there is no deployment ${JSON.stringify(name)} to roll out again.`, {
      path: "name",
      hint: `Create it with the operation "deploy".`,
    });
  }
  const claim = claimOf(deployment, ownerFor(event), inputs, console);
  progress.tellDeployment(deployment, false);
  const { onProgress } = progress;
  const underWay = isRerun(event) ? await revisionUnderWay(session, deployment) : undefined;
  if (underWay !== undefined)
    console.info(`Revision ${underWay.id} is ${underWay.status}: a re-run follows it instead of making another.`);
  const ensured =
    underWay === undefined
      ? await update(
          client,
          deployment.id,
          { name, source: deployment.source },
          { claim, adopt: inputs.adopt, redeploy: "rolled out again on purpose", signal, onProgress },
        )
      : { deployment, revisionId: underWay.id };
  if (ensured.revisionId !== undefined && !inputs.wait) return leave(report, ensured.revisionId);
  const source = { ref: deployment.source_revision_config.repo_ref ?? undefined, commit: undefined, isPush: false };
  await finish(
    session,
    source,
    await waitUntilLive(client, ensured, { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress }),
    deployment.id,
  );
}

function leave(report: Report, revisionId: string): void {
  report.revisionId = revisionId;
  report.result = "started";
  report.message = `Revision ${revisionId} is rolling out and isn't waited for.`;
}

/** Whether this is a later attempt of its run ("Re-run jobs"). */
function isRerun({ runAttempt = 1 }: WorkflowEvent): boolean {
  return runAttempt > 1;
}

async function create(session: Session, task: Task): Promise<Begun> {
  const { client, inputs, progress, signal, console } = session;
  const { id: integrationId, doubt } = await integrationOf(session, task.desired);
  const desired = { ...task.desired, sourceConfig: { ...task.desired.sourceConfig, integrationId } };
  console.info(`Creating deployment ${desired.name}.`);
  const { onProgress } = progress;
  const creation = ensureExists(client, desired, { claim: { owner: task.owner }, signal, onProgress });
  const { deployment: found, origin } = await creation.catch(async (error: unknown) => {
    if (error instanceof NameInUse) {
      return { deployment: await client.getDeployment(error.deploymentId, { signal }), origin: undefined };
    }
    if (doubt !== undefined && error instanceof ApiError) console.warning(doubt);
    throw error;
  });
  // Another run was faster; whether what it made may be changed is seen from the deployment.
  if (origin !== "created") return rollOut(session, task, found);
  progress.tellDeployment(found, true);
  const deployment = await nameForPeople(session, desired, found);
  const revisionId = await firstRevisionId(client, deployment, { signal });
  if (!inputs.wait) console.info(`Created deployment ${deployment.id}.`);
  return { deployment, origin, marker: task.owner, revisionId, doubt };
}

async function integrationOf(session: Session, { source, sourceConfig = {} }: DesiredDeployment) {
  const { repoUrl, integrationId } = sourceConfig;
  if (integrationId !== undefined || source !== "github" || repoUrl === undefined)
    return { id: integrationId, doubt: undefined };
  return findIntegration(session, repoUrl);
}

/** The platform takes no display name with a creation. */
async function nameForPeople({ client, progress, signal }: Session, desired: DesiredDeployment, created: Deployment) {
  const { name, source, displayName } = desired;
  if (displayName === undefined) return created;
  const { onProgress } = progress;
  return (await applyDesired(client, { name, source, displayName }, created, { signal, onProgress })).deployment;
}

/** Changes the deployment to what is declared, with a new revision even where nothing differs; or follows one that brings the same. */
async function rollOut(
  session: Session,
  task: Task,
  existing: Deployment,
  { mayFollow } = { mayFollow: true },
): Promise<Begun> {
  const { client, console, event, inputs, progress, signal } = session;
  const { source, isPreview, isOwn, owner } = task;
  const { desired, dropped } = withKeptReferences(task.desired, existing, inputs);
  const claim = isPreview ? claimPreview(task, existing) : claimOf(existing, owner, inputs, console);
  if (dropped.length > 0) console.warning(`Dropped from the secret references: ${dropped.join(", ")}.`);
  progress.tellDeployment(existing, false);
  const { ref, commit } = source;
  const pushedCommit = pushedCommitOf(desired, existing, source);
  const droppable = droppableNames(inputs);
  const present = readMarker(existing.secrets);
  const isTakenOver = present !== undefined && !isSameOwner(present, owner);
  // The platform's own build of a push is followed anyway, and a take-over needs a revision of its own.
  if (mayFollow && pushedCommit === undefined && !isTakenOver) {
    const planOptions = { droppable, marker: owner };
    const rollout = { desired, source, planOptions, isOwn, isRerun: isRerun(event) };
    const followed = await revisionToFollow(session, existing, rollout);
    if (followed !== undefined) {
      return { deployment: existing, origin: "existing", marker: present, revisionId: followed.id, isFollowed: true };
    }
  }
  const unsent = pushedCommit === undefined ? [] : unsentNames(desired, existing, droppable);
  if (unsent.length > 0) {
    console.notice(
      `The platform builds this push by itself and hides the values of ${unsent.join(", ")}, so they aren't sent again. If one of them has changed, deploy from another event, such as workflow_dispatch.`,
    );
  }
  const what = [desired.sourceRevisionConfig?.imageUri ?? ref, commit]
    .filter((part) => part !== undefined)
    .join(" at ");
  return update(client, existing.id, desired, {
    claim,
    adopt: !isPreview && inputs.adopt,
    droppable,
    // Values that the platform hides are sent again with every revision that is made anyway; where the platform makes it, they would make a second one.
    unreadable: pushedCommit === undefined ? "changed" : "same",
    ...(pushedCommit === undefined ? { redeploy: `deploys ${what}` } : { pushedCommit }),
    signal,
    onProgress: progress.onProgress,
  });
}

/** @throws {@link ConfigError} for a deployment that only has the name of the preview */
function claimPreview({ desired, owner }: Task, existing: Deployment): Claim {
  const refusal = whyNotOurs(existing, owner, desired.sourceConfig?.repoUrl ?? "");
  if (refusal === undefined) return { owner, held: readMarker(existing.secrets) };
  throw new ConfigError(`preview-name: ${refusal} It is left alone.`, {
    path: "preview-name",
    hint: "Choose a pattern whose names nothing else has.",
  });
}

async function finish(
  session: Session,
  { commit }: TargetSource,
  live: Awaited<ReturnType<typeof waitUntilLive>>,
  id: string,
): Promise<void> {
  const { client, console, inputs, progress, report, signal } = session;
  const { deployment, revision } = live ?? (await observe(client, id, { signal }));
  progress.tellDeployment(deployment);
  if (revision !== undefined) progress.tellRevision(revision);
  if (live === undefined) console.info("The revision of this commit is live already.");
  if (commit !== undefined && report.commit !== undefined && report.commit !== commit) {
    console.warning(
      `Live is commit ${report.commit}, not ${commit} of this run: the ref moved meanwhile, and a newer push won.`,
    );
  }
  if (inputs.smokeTest !== undefined && inputs.settings !== undefined) {
    await testDeployment(session, inputs.settings, inputs.smokeTest, report.url);
  }
  report.result = "deployed";
}
