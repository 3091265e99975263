import { applyDesired } from "../core/application.ts";
import { ensureExists } from "../core/creation.ts";
import type { DesiredDeployment } from "../core/desired.ts";
import { ApiError, ConfigError, NameInUse } from "../core/errors.ts";
import type { Claim } from "../core/ownership.ts";
import { readMarker } from "../core/ownership-marker.ts";
import { type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { droppableNames, pushedCommitOf, withKeptReferences } from "./declaration.ts";
import { isFailedRollout } from "./failure.ts";
import { findIntegration } from "./integration.ts";
import { claimOf, markOf, whyNotOurs } from "./ownership.ts";
import type { Report } from "./report.ts";
import type { Session } from "./session.ts";
import { testDeployment } from "./smoke-test.ts";
import type { TargetSource } from "./target.ts";

/** One deployment that is to be brought to a ref. */
export interface Task {
  desired: DesiredDeployment;
  source: TargetSource;
  /** Kept in the deployment's environment list. */
  mark: string;
  /** A preview is changed only where it carries the mark; anything else that has its name is somebody's. */
  isPreview: boolean;
}

/**
 * Creates the deployment or rolls out the ref, waits until it is live and tests it.
 * @throws the core's errors; {@link SmokeTestError}
 */
export async function deploy(session: Session, task: Task): Promise<void> {
  const { client, progress, inputs, report, signal } = session;
  const { onProgress } = progress;
  const { deployment: existing } = await client.findByName(task.desired.name, { signal });
  const ensured = existing === undefined ? await create(session, task) : await rollOut(session, task, existing);
  progress.tellDeployment(ensured.deployment, ensured.origin === "created");
  if (ensured.revisionId !== undefined && !inputs.wait) return leave(report, ensured.revisionId);
  let live: Awaited<ReturnType<typeof waitUntilLive>>;
  try {
    live = await waitUntilLive(client, ensured, { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress });
  } catch (error) {
    if (ensured.doubt !== undefined && isFailedRollout(error)) session.console.warning(ensured.doubt);
    throw error;
  }
  await finish(session, task.source, live, ensured.deployment.id);
}

/** A deployment that was made or changed, with what may be the cause if its rollout fails. */
type Begun = Ensured & { doubt?: string | undefined };

/** Rolls the present ref of a deployment out again. */
export async function redeploy(session: Session): Promise<void> {
  const { client, inputs, progress, report, signal } = session;
  const { name } = inputs.declared;
  const { deployment } = await client.findByName(name, { signal });
  if (deployment === undefined) {
    throw new ConfigError(`name: there is no deployment ${JSON.stringify(name)} to roll out again.`, {
      path: "name",
      hint: `Create it with the operation "deploy".`,
    });
  }
  const claim = claimOf(deployment, markOf(session.event), inputs, session.console);
  progress.tellDeployment(deployment, false);
  const { onProgress } = progress;
  const ensured = await update(
    client,
    deployment.id,
    { name, source: deployment.source },
    { claim, adopt: inputs.adopt, redeploy: "rolled out again on purpose", signal, onProgress },
  );
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
  report.message = "The rollout was begun and isn't waited for.";
}

async function create(session: Session, task: Task): Promise<Begun> {
  const { client, inputs, progress, signal, console } = session;
  const { id: integrationId, doubt } = await integrationOf(session, task.desired);
  const desired = { ...task.desired, sourceConfig: { ...task.desired.sourceConfig, integrationId } };
  console.info(`Creating deployment ${desired.name}.`);
  const { onProgress } = progress;
  const creation = ensureExists(client, desired, { claim: { owner: task.mark }, signal, onProgress });
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
  const revisionId =
    deployment.latest_revision_id ?? (await client.getDeployment(deployment.id, { signal })).latest_revision_id;
  if (!inputs.wait) console.info(`Created deployment ${deployment.id}.`);
  return { deployment, origin, marker: task.mark, revisionId: revisionId ?? undefined, doubt };
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

async function rollOut(session: Session, task: Task, existing: Deployment): Promise<Begun> {
  const { client, console, inputs, progress, signal } = session;
  const { source, isPreview } = task;
  const { desired, dropped } = withKeptReferences(task.desired, existing, inputs);
  const claim = isPreview ? claimPreview(task, existing) : claimOf(existing, task.mark, inputs, console);
  if (dropped.length > 0) console.warning(`Dropped from the secret references: ${dropped.join(", ")}.`);
  progress.tellDeployment(existing, false);
  const { ref, commit } = source;
  const pushedCommit = pushedCommitOf(desired, existing, source);
  const what = [desired.sourceRevisionConfig?.imageUri ?? ref, commit]
    .filter((part) => part !== undefined)
    .join(" at ");
  return update(client, existing.id, desired, {
    claim,
    adopt: !isPreview && inputs.adopt,
    droppable: droppableNames(inputs),
    // Values that the platform hides are sent again with every revision that is made anyway; where the platform makes it, they would make a second one.
    unreadable: pushedCommit === undefined ? "changed" : "same",
    ...(pushedCommit === undefined ? { redeploy: `deploys ${what}` } : { pushedCommit }),
    signal,
    onProgress: progress.onProgress,
  });
}

/** A preview is changed only where it carries the mark: anything else that has its name is somebody's. */
function claimPreview({ desired, mark }: Task, existing: Deployment): Claim {
  const refusal = whyNotOurs(existing, mark, desired.sourceConfig?.repoUrl ?? "");
  if (refusal === undefined) return { owner: mark, held: readMarker(existing.secrets) };
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
