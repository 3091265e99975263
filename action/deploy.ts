import { ApiError, ConfigError, NameInUse } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { isBeingDeleted } from "../core/reconcile/apply.ts";
import { withKeptReferences } from "../core/reconcile/environment.ts";
import { findIntegration } from "../core/reconcile/integration.ts";
import { type Claim, readMarker } from "../core/reconcile/ownership.ts";
import {
  followUntilLive,
  type LiveDeployment,
  type ReconcileOptions,
  type Reconciliation,
  reconcile,
  type StartedRollout,
} from "../core/reconcile/reconcile.ts";
import { droppableNames, droppableReferences, pushedCommitOf, unsentNames } from "./declaration.ts";
import type { WorkflowEvent } from "./event.ts";
import { isFailedRollout } from "./failure.ts";
import { revisionInProgress, revisionToFollow } from "./followed-revision.ts";
import { isSameOwner } from "./origin.ts";
import { claimOf, ownerFor, ownershipProblem } from "./ownership.ts";
import type { Session } from "./session.ts";
import { testDeployment } from "./smoke-test.ts";
import type { TargetSource } from "./target.ts";

/** A deployment and the ref to deploy to it. */
export interface Task {
  desired: DesiredDeployment;
  source: TargetSource;
  /** The owner for the ownership marker. */
  owner: string;
  /** Whether it is a preview, which is changed only if its marker names this owner. */
  isPreview: boolean;
  /** Whether an earlier attempt of this run made a revision, according to its GitHub deployment. */
  isOwn: (revisionId: string) => boolean;
}

/**
 * Creates the deployment or rolls out the ref, waits until it is live and tests it.
 * @throws the core's errors; {@link SmokeTestError}
 */
export async function deploy(session: Session, task: Task): Promise<void> {
  const { client, console, progress, inputs, signal } = session;
  const { deployment: existing } = await client.deployments.findByName(task.desired.name, { signal });
  // A deletion may be in progress; the creation waits until it ends.
  const isFree = existing === undefined || isBeingDeleted(existing);
  const rollout = isFree ? await create(session, task) : await rollOut(session, task, existing);
  const { deployment, origin, revisionId, possibleCause } = rollout;
  progress.reportDeployment(deployment, origin === "created");
  if (revisionId !== undefined && !inputs.wait) return reportStarted(session, revisionId);
  let live = await rollout.live().catch((error: unknown) => {
    if (possibleCause !== undefined && isFailedRollout(error)) console.warning(possibleCause);
    throw error;
  });
  const built = live.rollout?.revision.source_revision_config.repo_commit_sha ?? undefined;
  const { commit } = task.source;
  // The commit of a followed revision wasn't known at first: the branch may have been elsewhere when the build started.
  if (rollout.isFollowed === true && built !== undefined && commit !== undefined && built !== commit) {
    console.info(`Revision ${revisionId} was built from commit ${built}, not from ${commit}: rolling out again.`);
    live = await (await rollOut(session, task, live.deployment, { mayFollow: false })).live();
  }
  await finish(session, task.source, live);
}

/** A rollout that this run started, or found in progress. */
interface Rollout extends Pick<StartedRollout, "deployment" | "revisionId"> {
  origin?: StartedRollout["origin"];
  /** Waits until the revision is live. */
  live(): Promise<LiveDeployment>;
  /** A possible cause, to be shown if the rollout fails. */
  possibleCause?: string | undefined;
  /** Whether an earlier run made the revision. @default false */
  isFollowed?: boolean;
}

async function begun(run: Reconciliation): Promise<Rollout> {
  return { ...(await run.started), live: () => run.live() };
}

function followed({ client, inputs, progress, signal }: Session, deployment: Deployment, revisionId: string): Rollout {
  const options = { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress: progress.onProgress };
  const live = () => followUntilLive(client, deployment, revisionId, options);
  return { deployment, revisionId, live, isFollowed: true };
}

/** Rolls out the current ref of a deployment again. */
export async function redeploy(session: Session): Promise<void> {
  const { client, console, event, inputs, progress, signal } = session;
  const { name } = inputs.declared;
  const { deployment } = await client.deployments.findByName(name, { signal });
  if (deployment === undefined) {
    throw new ConfigError(`name: there is no deployment ${JSON.stringify(name)} to roll out again.`, {
      path: "name",
      hint: `Create it with the operation "deploy".`,
    });
  }
  const claim = claimOf(deployment, ownerFor(event), inputs, console);
  progress.reportDeployment(deployment, false);
  const inProgress = isRerun(event) ? await revisionInProgress(session, deployment) : undefined;
  if (inProgress !== undefined)
    console.info(`Revision ${inProgress.id} is ${inProgress.status}: a re-run follows it instead of creating another.`);
  const desired = { name, source: deployment.source };
  const rollout =
    inProgress === undefined
      ? await begun(change(session, deployment, desired, { claim, redeploy: "redeployed on request" }))
      : followed(session, deployment, inProgress.id);
  if (rollout.revisionId !== undefined && !inputs.wait) return reportStarted(session, rollout.revisionId);
  const source = { ref: deployment.source_revision_config.repo_ref ?? undefined, commit: undefined, isPush: false };
  await finish(session, source, await rollout.live());
}

/** Starts changing an existing deployment. */
function change(
  { client, inputs, progress, signal }: Session,
  { id }: Deployment,
  desired: DesiredDeployment,
  options: ReconcileOptions,
): Reconciliation {
  const { onProgress } = progress;
  const { adopt, timeoutMs } = inputs;
  return reconcile(client, desired, { id, adopt, limits: { timeoutMs }, signal, onProgress, ...options });
}

function reportStarted({ report }: Session, revisionId: string): void {
  report.revisionId = revisionId;
  report.result = "started";
  report.message = `Revision ${revisionId} is rolling out; the step doesn't wait for it.`;
}

/** Whether this is a re-run ("Re-run jobs"). */
function isRerun({ runAttempt = 1 }: WorkflowEvent): boolean {
  return runAttempt > 1;
}

async function create(session: Session, task: Task): Promise<Rollout> {
  const { client, inputs, progress, signal, console } = session;
  const { id: integrationId, missingReason: possibleCause } = await integrationOf(session, task.desired);
  const desired = { ...task.desired, sourceConfig: { ...task.desired.sourceConfig, integrationId } };
  console.info(`Creating deployment ${desired.name}.`);
  const run = reconcile(client, desired, {
    claim: { owner: task.owner },
    mustBeNew: true,
    limits: { timeoutMs: inputs.timeoutMs },
    signal,
    onProgress: progress.onProgress,
  });
  try {
    const { deployment } = await run.deployment;
    progress.reportDeployment(deployment, true);
  } catch (error) {
    // Another run was faster. The deployment shows whether this run may change it.
    if (error instanceof NameInUse) {
      return rollOut(session, task, await client.deployments.get(error.deploymentId, { signal }));
    }
    if (possibleCause !== undefined && error instanceof ApiError) console.warning(possibleCause);
    throw error;
  }
  const rollout = await begun(run);
  if (!inputs.wait) console.info(`Created deployment ${rollout.deployment.id}.`);
  return { ...rollout, possibleCause };
}

async function integrationOf({ client, console, signal }: Session, { source, sourceConfig = {} }: DesiredDeployment) {
  const { repoUrl, integrationId } = sourceConfig;
  if (integrationId !== undefined || source !== "github" || repoUrl === undefined)
    return { id: integrationId, missingReason: undefined };
  return findIntegration(client, repoUrl, { signal, onNote: (message) => console.info(message) });
}

/**
 * Deploys the declaration to an existing deployment: makes a revision even if nothing differs, or follows one that
 * deploys the same.
 */
async function rollOut(
  session: Session,
  task: Task,
  existing: Deployment,
  { mayFollow } = { mayFollow: true },
): Promise<Rollout> {
  const { console, event, inputs, progress } = session;
  const { source, isPreview, isOwn, owner } = task;
  const { desired, dropped } = withKeptReferences(task.desired, existing, droppableReferences(inputs));
  const claim = isPreview ? claimPreview(task, existing) : claimOf(existing, owner, inputs, console);
  if (dropped.length > 0) console.warning(`Dropped from the secret references: ${dropped.join(", ")}.`);
  progress.reportDeployment(existing, false);
  const { ref, commit } = source;
  const pushedCommit = pushedCommitOf(desired, existing, source);
  const droppable = droppableNames(inputs);
  const present = readMarker(existing.secrets);
  const isTakenOver = present !== undefined && !isSameOwner(present, owner);
  // The platform's own build of a push is followed anyway, and a takeover needs a revision of its own.
  if (mayFollow && pushedCommit === undefined && !isTakenOver) {
    const planOptions = { droppable, marker: owner };
    const rollout = { desired, source, planOptions, isOwn, isRerun: isRerun(event) };
    const revision = await revisionToFollow(session, existing, rollout);
    if (revision !== undefined) return followed(session, existing, revision.id);
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
  const options = {
    claim,
    adopt: !isPreview && inputs.adopt,
    droppable,
    // Hidden values are sent with every revision that this run makes; where the platform makes it, they would make a
    // second one.
    unreadable: pushedCommit === undefined ? "changed" : "same",
    ...(pushedCommit === undefined ? { redeploy: `deploys ${what}` } : { pushedCommit }),
  } as const;
  return begun(change(session, existing, desired, options));
}

/** @throws {@link ConfigError} when the deployment of that name isn't this preview */
function claimPreview({ desired, owner }: Task, existing: Deployment): Claim {
  const refusal = ownershipProblem(existing, owner, desired.sourceConfig?.repoUrl ?? "");
  if (refusal === undefined) return { owner, held: readMarker(existing.secrets) };
  throw new ConfigError(`preview-name: ${refusal} It is left alone.`, {
    path: "preview-name",
    hint: "Choose a pattern whose names nothing else has.",
  });
}

async function finish(
  session: Session,
  { commit }: TargetSource,
  { deployment, revision, rollout }: LiveDeployment,
): Promise<void> {
  const { console, inputs, progress, report } = session;
  progress.reportDeployment(deployment);
  if (revision !== undefined) progress.reportRevision(revision);
  if (rollout === undefined) console.info("The revision of this commit is live already.");
  if (commit !== undefined && report.commit !== undefined && report.commit !== commit) {
    console.warning(
      `Live is commit ${report.commit}, not ${commit} of this run: the ref has moved, and a newer push won.`,
    );
  }
  if (inputs.smokeTest !== undefined && inputs.settings !== undefined) {
    await testDeployment(session, inputs.settings, inputs.smokeTest, report.url);
  }
  report.result = "deployed";
}
