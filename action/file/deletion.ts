import type { Deployment } from "../../core/client/wire/deployments.ts";
import type { DeclaredDeployment } from "../../core/declare/file/declarative-file.ts";
import { destroyFile, planDestroy } from "../../core/reconcile/file/destroy.ts";
import { observeWorkspace } from "../../core/reconcile/file/observe.ts";
import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import { fileOwner, pullRequestOf } from "../../core/reconcile/file/owner.ts";
import { isPullRequestOpen } from "../github/pull-requests.ts";
import { fileOptions } from "./apply.ts";
import type { FileSession } from "./session.ts";

/** Deletes what the file owns in its environment, by the ownership marker alone. */
export async function deleteFile(session: FileSession): Promise<void> {
  const { file, identity } = session;
  conclude(session, await deleteOwnedBy(session, fileOwner(identity), file.deployments));
}

/** Deletes the previews that the file owns for a pull request; it need not be in the checkout any more. */
export async function deletePreviews(session: FileSession, pullRequest: number): Promise<void> {
  const { identity } = session;
  conclude(session, await deleteOwnedBy(session, fileOwner({ ...identity, pullRequest }), []));
}

async function deleteOwnedBy(
  session: FileSession,
  owner: string,
  declared: readonly DeclaredDeployment[],
): Promise<Outcome[]> {
  const { client, console, report } = session;
  const options = { ...fileOptions(session), owner };
  const found = await planDestroy(client, declared, options);
  for (const { key, reason } of found.left) {
    console.notice(`${key}: ${reason}`);
    report.notes.push(reason);
  }
  for (const { key, name, id } of found.owned) report.deployments.set(key, { name, id });
  return destroyFile(client, declared, found, options);
}

function conclude({ report, console }: FileSession, outcomes: readonly Outcome[]): void {
  const deleted = outcomes.filter(({ result }) => result === "deleted").length;
  report.changes = deleted;
  report.result = deleted === outcomes.length ? "deleted" : "failed";
  if (outcomes.length === 0) report.message = `${report.title} owns no deployment here: nothing to delete.`;
  else if (deleted < outcomes.length) report.message = `${outcomes.length - deleted} deployments couldn't be deleted.`;
  if (outcomes.length === 0) console.info(report.message ?? "");
}

/**
 * Deletes the file's previews of all closed pull requests, and leaves those alone whose pull request can't be read.
 * @param onDeleted called for each pull request whose previews are gone
 * @throws Error that names what was left, after all were tried
 */
export async function sweep(
  session: FileSession,
  onDeleted: (pullRequest: number, deleted: readonly Outcome[]) => Promise<void>,
): Promise<void> {
  const { client, github, identity, report, console, signal } = session;
  const workspace = await observeWorkspace(client, { signal });
  const previews = Map.groupBy(workspace.values(), (deployment: Deployment) => pullRequestOf(deployment, identity));
  const outcomes: Outcome[] = [];
  const unknown: string[] = [];
  const reasons = new Set<string>();
  for (const [pullRequest, deployments] of previews) {
    if (pullRequest === undefined) continue;
    const isOpen = github && (await isPullRequestOpen(github, pullRequest, (reason) => reasons.add(reason)));
    if (isOpen === undefined) unknown.push(...deployments.map(({ name }) => name));
    if (isOpen !== false) continue;
    console.info(`Pull request #${pullRequest} is closed: deleting its previews.`);
    const ended = await deleteOwnedBy(session, fileOwner({ ...identity, pullRequest }), []);
    outcomes.push(...ended);
    if (ended.every(({ result }) => result === "deleted")) await onDeleted(pullRequest, ended);
  }
  conclude(session, outcomes);
  if (outcomes.length === 0) {
    report.result = "skipped";
    report.message = "There is no preview of a closed pull request.";
  }
  if (unknown.length > 0) {
    throw new Error(
      `Whether the pull requests of these previews are open isn't known, so they were left alone: ${unknown.join(", ")}. ${[...reasons].join(" ")}`,
    );
  }
}
