import { ensureExists } from "../core/creation.ts";
import type { DesiredDeployment } from "../core/desired.ts";
import { ConfigError } from "../core/errors.ts";
import { ownerOf, readMarker } from "../core/ownership-marker.ts";
import { type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import type { WorkflowEvent } from "./event.ts";
import { revisionToFollow, revisionUnderWay } from "./followed-revision.ts";
import { findIntegration } from "./integration.ts";
import { whyNotOurs } from "./ownership.ts";
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
  /** Whether an earlier attempt of this run made a revision, as far as GitHub's list of deployments shows it. */
  isOwn: (revisionId: string) => boolean;
}

/** A deployment whose rollout was begun, or was under way. */
interface Begun extends Ensured {
  /** The revision is one of an earlier run. */
  isFollowed?: boolean;
}

/**
 * Creates the deployment or rolls out the ref, waits until it is live and tests it.
 * @throws the core's errors; {@link SmokeTestError}
 */
export async function deploy(session: Session, task: Task): Promise<void> {
  const { client, console, progress, inputs, report, signal } = session;
  const { onProgress } = progress;
  const { deployment: existing } = await client.findByName(task.desired.name, { signal });
  const ensured: Begun = existing === undefined ? await create(session, task) : await rollOut(session, task, existing);
  progress.tellDeployment(ensured.deployment, ensured.origin === "created");
  if (ensured.revisionId !== undefined && !inputs.wait) return leave(report, ensured.revisionId);
  const wait = (begun: Ensured) =>
    waitUntilLive(client, begun, { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress });
  let live = await wait(ensured);
  const built = live?.revision.source_revision_config.repo_commit_sha ?? undefined;
  const { commit } = task.source;
  // Its commit wasn't known when it was followed: the branch may have moved since then, and may have been behind it.
  if (ensured.isFollowed === true && built !== undefined && commit !== undefined && built !== commit) {
    console.info(
      `Revision ${ensured.revisionId} turned out to be of commit ${built}, not of ${commit}: rolling out again.`,
    );
    live = await wait(await rollOutAgain(session, task, live?.deployment ?? ensured.deployment));
  }
  await finish(session, task.source, live, ensured.deployment.id);
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
          { redeploy: "rolled out again on purpose", signal, onProgress },
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

async function create(session: Session, task: Task): Promise<Ensured> {
  const { client, inputs, progress, signal, console } = session;
  const { repoUrl, integrationId } = task.desired.sourceConfig ?? {};
  const found =
    integrationId ??
    (task.desired.source === "github" && repoUrl !== undefined ? await findIntegration(session, repoUrl) : undefined);
  const desired = { ...task.desired, sourceConfig: { ...task.desired.sourceConfig, integrationId: found } };
  console.info(`Creating deployment ${desired.name}.`);
  const { onProgress } = progress;
  const { deployment, origin } = await ensureExists(client, desired, {
    adopt: true,
    claim: { owner: task.mark },
    signal,
    onProgress,
  });
  // Another run was faster.
  if (origin !== "created") return rollOut(session, task, deployment);
  progress.tellDeployment(deployment, true);
  const revisionId =
    deployment.latest_revision_id ?? (await client.getDeployment(deployment.id, { signal })).latest_revision_id;
  if (!inputs.wait) console.info(`Created deployment ${deployment.id}.`);
  return { deployment, origin, marker: task.mark, revisionId: revisionId ?? undefined };
}

async function rollOut(session: Session, task: Task, existing: Deployment): Promise<Begun> {
  const { desired, mark, isPreview, source, isOwn } = task;
  const { console, event, progress } = session;
  const present = readMarker(existing.secrets);
  if (isPreview) {
    const refusal = whyNotOurs(existing, mark, desired.sourceConfig?.repoUrl ?? "");
    if (refusal !== undefined) {
      throw new ConfigError(`preview-name: ${refusal} It is left alone.`, {
        path: "preview-name",
        hint: "Choose a pattern whose names nothing else has.",
      });
    }
  } else if (present !== undefined && present !== mark) {
    console.warning(
      `Deployment ${existing.name} is marked as managed by ${present}, which may undo what this run does.`,
    );
  }
  progress.tellDeployment(existing, false);
  const isOthers = present !== undefined && ownerOf(present) !== mark;
  // The platform's own build of a push is followed anyway.
  if (!isOthers && pushedCommitOf(task, existing) === undefined) {
    const planOptions = { ...planned, marker: mark };
    const rollout = { desired, source, planOptions, isOwn, isRerun: isRerun(event) };
    const followed = await revisionToFollow(session, existing, rollout);
    if (followed !== undefined) {
      return { deployment: existing, origin: "existing", marker: present, revisionId: followed.id, isFollowed: true };
    }
  }
  return rollOutAgain(session, task, existing);
}

/** How the environment is planned. */
const planned = { droppable: "all" } as const;

/** The commit whose build the platform begins by itself; `undefined` where it doesn't. */
function pushedCommitOf({ desired, source }: Task, existing: Deployment): string | undefined {
  const buildsOnPush = (desired.sourceConfig?.buildOnPush ?? existing.source_config.build_on_push) === true;
  return buildsOnPush && source.isPush ? source.commit : undefined;
}

/** Changes the deployment to what is declared, with a new revision even where nothing differs. */
async function rollOutAgain(session: Session, task: Task, existing: Deployment): Promise<Ensured> {
  const { client, progress, signal } = session;
  const { desired, mark, isPreview } = task;
  const { ref, commit } = task.source;
  const present = readMarker(existing.secrets);
  const pushedCommit = pushedCommitOf(task, existing);
  const what = [desired.sourceRevisionConfig?.imageUri ?? ref, commit]
    .filter((part) => part !== undefined)
    .join(" at ");
  return update(client, existing.id, desired, {
    claim: isPreview ? { owner: mark, held: present } : { owner: present ?? mark, held: present },
    ...planned,
    // Values that the platform hides are sent again with every revision that is made anyway; where the platform makes it, they would make a second one.
    unreadable: pushedCommit === undefined ? "changed" : "same",
    ...(pushedCommit === undefined ? { redeploy: `deploys ${what}` } : { pushedCommit }),
    signal,
    onProgress: progress.onProgress,
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
