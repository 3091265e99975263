import { ensureExists } from "../core/creation.ts";
import type { DesiredDeployment } from "../core/desired.ts";
import { ConfigError } from "../core/errors.ts";
import { readMarker } from "../core/ownership-marker.ts";
import { type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import type { Deployment } from "../core/wire/deployment.ts";
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
  await finish(
    session,
    task.source,
    await waitUntilLive(client, ensured, { limits: { timeoutMs: inputs.timeoutMs }, signal, onProgress }),
    ensured.deployment.id,
  );
}

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
  progress.tellDeployment(deployment, false);
  const { onProgress } = progress;
  const ensured = await update(
    client,
    deployment.id,
    { name, source: deployment.source },
    { redeploy: "rolled out again on purpose", signal, onProgress },
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

async function rollOut(
  session: Session,
  { desired, source, mark, isPreview }: Task,
  existing: Deployment,
): Promise<Ensured> {
  const { client, console, progress, signal } = session;
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
  const { ref, commit, isPush } = source;
  const buildsOnPush = (desired.sourceConfig?.buildOnPush ?? existing.source_config.build_on_push) === true;
  const pushedCommit = buildsOnPush && isPush ? commit : undefined;
  const what = [desired.sourceRevisionConfig?.imageUri ?? ref, commit]
    .filter((part) => part !== undefined)
    .join(" at ");
  return update(client, existing.id, desired, {
    claim: isPreview ? { owner: mark, held: present } : { owner: present ?? mark, held: present },
    droppable: "all",
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
