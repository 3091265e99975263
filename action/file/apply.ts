import { applyFile } from "../../core/reconcile/file/apply.ts";
import { commitFor, type FileOptions, type PushedCommit } from "../../core/reconcile/file/declared.ts";
import { type ApplyFileOptions, isLiveOutcome, type Outcome } from "../../core/reconcile/file/outcome.ts";
import { fileOwner } from "../../core/reconcile/file/owner.ts";
import { type FilePlan, hasChanges, planFile } from "../../core/reconcile/file/plan.ts";
import { effectOf, planReport } from "../../core/reconcile/file/plan-report.ts";
import { resultOf } from "../failure.ts";
import { testDeployment } from "../smoke-test.ts";
import type { TargetSource } from "../target.ts";
import { changeText, summaryText } from "./report-markdown.ts";
import type { FileSession } from "./session.ts";

/** The options of everything that the engine does with the file. */
export function fileOptions({ inputs, identity, connect, progress, signal }: FileSession): ApplyFileOptions {
  const { only, timeoutMs } = inputs;
  // A preview is never taken over.
  const adopt = inputs.adopt && identity.pullRequest === undefined;
  const { onDeploymentProgress, onOutcome } = progress;
  return {
    ...{ owner: fileOwner(identity), only, adopt, connect, signal, onDeploymentProgress, onOutcome },
    limits: { timeoutMs },
  };
}

/** The commit that must be live on the deployments built from this repository and ref. */
function pushedCommit(session: FileSession, { ref, commit }: TargetSource): PushedCommit | undefined {
  if (ref === undefined || commit === undefined) return undefined;
  return { repositoryUrl: repositoryUrl(session), ref, sha: commit };
}

function repositoryUrl({ event: { serverUrl, repository } }: FileSession): string {
  return `${serverUrl}/${repository}`;
}

/** Reports what an apply would change, or why it would be refused, without changing anything. */
export async function plan(session: FileSession, source: TargetSource): Promise<void> {
  const { inputs, report } = session;
  const found = await planned(session, { ...fileOptions(session), commit: pushedCommit(session, source) });
  noteMerge(session, source);
  const refusal = refusalOf(found);
  report.result = refusal === undefined ? "planned" : "failed";
  if (refusal !== undefined) report.message = `An apply would be refused: ${refusal}`;
  else if (inputs.expectNoChanges && hasChanges(found)) {
    report.result = "failed";
    report.message = "The plan has changes, and none were expected (expect-no-changes).";
  }
}

/** A plan on a pull request knows no commit of the base branch that a merge would make. */
function noteMerge(session: FileSession, { ref, commit }: TargetSource): void {
  const { file, report } = session;
  if (ref === undefined || commit !== undefined) return;
  const merged = { repositoryUrl: repositoryUrl(session), ref, sha: "merge" };
  const keys = report.plan?.deployments.filter(({ action }) => action === "nothing" || action === "patch") ?? [];
  const rolledOut = file.deployments
    .filter(({ key, desired }) => commitFor(desired, merged) !== undefined && keys.some((one) => one.key === key))
    .map(({ key }) => key);
  if (rolledOut.length > 0) report.notes.push(`A push to ${ref} also rolls out: ${rolledOut.join(", ")}.`);
}

/** Applies the file: everything that it declares and that differs, and the commit of a push. */
export async function apply(
  session: FileSession,
  source: TargetSource,
  begin: (plan: FilePlan) => Promise<void>,
): Promise<void> {
  const { client, file, report, console } = session;
  const options = { ...fileOptions(session), commit: pushedCommit(session, source) };
  const found = await planned(session, options);
  const refusal = refusalOf(found);
  if (refusal !== undefined) {
    report.result = "failed";
    report.message = `Nothing was changed, because a part is refused: ${refusal}`;
    return;
  }
  await begin(found);
  const outcomes = await applyFile(client, file, found, options);
  report.changes = outcomes.filter(({ result }) => result === "created" || result === "updated").length;
  const untested = await smokeTest(session, outcomes);
  const left = outcomes.filter((outcome) => !isLiveOutcome(outcome));
  if (left.length === 0 && untested === 0) {
    report.result = "deployed";
    console.info(`${report.title} is live: ${report.changes} of ${outcomes.length} deployments changed.`);
    return;
  }
  const failures = new Set(left.filter(({ result }) => result === "failed").map(({ error }) => resultOf(error)));
  const [only = "failed"] = failures;
  report.result = failures.size === 1 && untested === 0 ? only : "failed";
  report.message = `${left.length + untested} of ${outcomes.length} deployments aren't live as declared.`;
}

/** Plans, and reports the plan in the log and the outputs. */
async function planned(session: FileSession, options: FileOptions): Promise<FilePlan> {
  const { client, file, report, console, progress } = session;
  const found = await planFile(client, file, options);
  const shown = planReport(found);
  report.plan = shown;
  report.changes = found.deployments.filter((one) => !["unchanged", "follow"].includes(effectOf(one))).length;
  for (const one of found.deployments) progress.expect(one);
  const group = `Plan for ${report.title}`;
  for (const one of shown.deployments) {
    const { key, content, notes, refusal, changes } = one;
    console.groupedInfo(group, `${key}: ${effectOf(one)}`);
    const lines = [
      ...(refusal === undefined ? changes.map(changeText) : [refusal]),
      ...content.map(({ kind, name, action }) => `${kind} ${name}: ${action}`),
      ...notes,
    ];
    for (const line of lines) console.groupedInfo(group, `${key}:   ${line}`);
  }
  const kept = found.undeclared.map(({ name }) => name);
  if (kept.length > 0) console.info(`No longer declared, and kept: ${kept.join(", ")}.`);
  console.info(`Plan: ${summaryText(shown.summary)}.`);
  return found;
}

function refusalOf({ deployments }: FilePlan): string | undefined {
  const refused = deployments.flatMap(({ key, refusal }) => (refusal === undefined ? [] : [`${key}: ${refusal}`]));
  return refused.length === 0 ? undefined : refused.join(" ");
}

/** Calls the health check of what was changed. @returns how many failed it */
async function smokeTest(session: FileSession, outcomes: readonly Outcome[]): Promise<number> {
  const { inputs, settings, report, console, signal } = session;
  const { smokeTest: test } = inputs;
  if (test === undefined) return 0;
  const changed = outcomes.filter(({ result }) => result === "created" || result === "updated");
  const results = await Promise.all(
    changed.map(async ({ key, url }) => {
      try {
        await testDeployment(session, settings, test, url);
        return 0;
      } catch (error) {
        if (signal.aborted) throw error;
        const message = error instanceof Error ? error.message : String(error);
        console.error(`${key}: ${message}`, "graphdeploy: failed");
        const state = report.deployments.get(key);
        if (state !== undefined) Object.assign(state, { result: "failed", message });
        return 1;
      }
    }),
  );
  return results.filter((failed) => failed === 1).length;
}
