import { ConfigError } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import { deleteDeployment } from "../core/reconcile/apply.ts";
import { renderComment, upsertComment } from "./github/comment.ts";
import { retireEnvironment } from "./github/deployments.ts";
import { isPullRequestOpen } from "./github/pull-requests.ts";
import { deletionProblem, ownerFor, ownershipProblem } from "./ownership.ts";
import { previewNameOf, pullRequestOf } from "./preview-name.ts";
import type { Report } from "./report.ts";
import type { Session } from "./session.ts";
import { plainRef } from "./target.ts";

/**
 * Deletes the main deployment; succeeds if it doesn't exist.
 * @param onlyRef skip a deployment of any other ref
 * @throws {@link ConfigError} when this repository may not delete it
 */
export async function deleteItself(session: Session, onlyRef: string | undefined): Promise<void> {
  const { event, inputs } = session;
  return deleteUnless(session, (deployment) => deletionProblem(deployment, ownerFor(event), inputs), onlyRef);
}

async function deleteUnless(
  session: Session,
  refusalOf: (deployment: Deployment) => string | undefined,
  onlyRef?: string,
): Promise<void> {
  const { client, console, progress, report, signal } = session;
  const { name } = report;
  const { deployment } = await client.deployments.findByName(name, { signal });
  report.result = "deleted";
  if (deployment === undefined) {
    report.message = `There is no deployment ${name}: nothing to delete.`;
    console.info(report.message);
  } else {
    const deployedRef = plainRef(deployment.source_revision_config?.repo_ref ?? "");
    if (onlyRef !== undefined && deployedRef !== onlyRef) {
      report.result = "skipped";
      report.message = `The event is about the ref ${onlyRef}, and deployment ${name} comes from ${deployedRef ?? "no ref"}. It is left alone.`;
      return console.notice(report.message);
    }
    const refusal = refusalOf(deployment);
    if (refusal !== undefined) {
      delete report.result;
      throw new ConfigError(`${refusal} It is left alone.`, { path: "name" });
    }
    console.info(`Deleting deployment ${name} (${deployment.id}).`);
    report.deploymentId = deployment.id;
    await deleteDeployment(client, deployment.id, { signal, onProgress: progress.onProgress });
    delete report.message;
    delete report.url;
  }
  await retire(session, name);
}

/** Deletes the preview of a closed pull request. Skips a deployment that has its name but another owner. */
export async function deletePreview(session: Session, pullRequest: number): Promise<void> {
  const { report, event, inputs, console } = session;
  const repositoryUrl = inputs.declared.sourceConfig?.repoUrl ?? "";
  try {
    await deleteUnless(session, (deployment) =>
      ownershipProblem(deployment, ownerFor(event, pullRequest), repositoryUrl),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.warning(error.message);
    report.result = "skipped";
    report.message = error.message;
  }
}

/** Whether the pull request is closed now, so that a preview of it would never be deleted. */
export async function wasClosed({ github }: Session, pullRequest: number): Promise<boolean> {
  return github !== undefined && (await isPullRequestOpen(github, pullRequest)) === false;
}

/**
 * Deletes the previews of all closed pull requests, and continues after a preview that can't be deleted or a pull
 * request that can't be read.
 * @throws Error that names those, after all were tried
 */
export async function sweep(session: Session): Promise<void> {
  const { client, console, github, inputs, event, report, progress, signal } = session;
  const { declared, previewName } = inputs;
  const swept: string[] = [];
  const failed: string[] = [];
  const unknown: string[] = [];
  const reasons = new Set<string>();
  report.swept = swept;
  for (const listed of await client.deployments.list({}, { signal }).all()) {
    const pullRequest = pullRequestOf(previewName, declared.name, listed.name);
    // Read by id to check its owner: a listing may be stale.
    const deployment = pullRequest === undefined ? undefined : await client.deployments.find(listed.id, { signal });
    if (pullRequest === undefined || deployment === undefined) continue;
    const refusal = ownershipProblem(deployment, ownerFor(event, pullRequest), declared.sourceConfig?.repoUrl ?? "");
    if (refusal !== undefined) {
      console.info(`${refusal} It is left alone.`);
      continue;
    }
    const isOpen = github && (await isPullRequestOpen(github, pullRequest, (reason) => reasons.add(reason)));
    if (isOpen === undefined) unknown.push(deployment.name);
    if (isOpen !== false) continue;
    console.info(`Deleting ${deployment.name} (${deployment.id}): pull request #${pullRequest} is closed.`);
    try {
      await deleteDeployment(client, deployment.id, { signal, onProgress: progress.onProgress });
    } catch (error) {
      if (signal.aborted) throw error;
      console.warning(`${deployment.name} couldn't be deleted: ${error instanceof Error ? error.message : error}`);
      failed.push(deployment.name);
      continue;
    }
    await retire(session, deployment.name);
    await updatePreviewComment(session, deployment, pullRequest);
    swept.push(previewNameOf(previewName, declared.name, pullRequest));
  }
  const problems = [
    failed.length > 0 && `Of closed pull requests, these previews couldn't be deleted: ${failed.join(", ")}.`,
    unknown.length > 0 &&
      `Whether the pull requests of these previews are open isn't known, so they were left alone: ${unknown.join(", ")}. ${[...reasons].join(" ")}`,
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw new Error(problems.join(" "));
  report.result = swept.length > 0 ? "deleted" : "skipped";
  report.message =
    swept.length > 0
      ? `Deleted ${swept.length} previews of closed pull requests.`
      : "There is no preview of a closed pull request.";
}

/** Updates the comment, which still shows the preview as live. */
async function updatePreviewComment(
  { client, github, inputs, event, redactor, declaredSecrets }: Session,
  { name, id }: Deployment,
  pullRequest: number,
): Promise<void> {
  if (github === undefined || !inputs.comment) return;
  const report: Report = {
    result: "deleted",
    task: "sweep",
    name,
    isPreview: true,
    deploymentId: id,
    message: "The pull request is closed, so a sweep deleted its preview.",
    steps: [],
    logTail: [],
    runUrl: event.runUrl,
  };
  await upsertComment(github, pullRequest, {
    subject: { name, baseUrl: client.baseUrl },
    text: renderComment(report, declaredSecrets, redactor),
    mayBeFirst: false,
  });
}

async function retire({ github, inputs, event }: Session, name: string): Promise<void> {
  const environment = inputs.githubEnvironment?.replaceAll("{name}", name);
  // An environment without {name} may be shared with other deployments.
  if (github === undefined || environment === undefined || !inputs.githubEnvironment?.includes("{name}")) return;
  await retireEnvironment(github, environment, event.runUrl);
}
