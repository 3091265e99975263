import { AgentServer } from "../../core/client/agent-server.ts";
import { TimeoutError } from "../../core/client/errors.ts";
import type { DeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import type { FileIdentity } from "../../core/reconcile/file/owner.ts";
import { unprotectedWarning } from "../../core/redact.ts";
import { formatDuration } from "../../core/time.ts";
import { connectToControlPlane } from "../control-plane.ts";
import type { WorkflowEvent } from "../event.ts";
import { messageOf, resultOf } from "../failure.ts";
import { connectToGitHub } from "../github/client.ts";
import { isPullRequestOpen } from "../github/pull-requests.ts";
import { inInputNames } from "../input-names.ts";
import { successes } from "../operations.ts";
import { saveState } from "../state.ts";
import type { Tools } from "../tools.ts";
import { untilAborted } from "../until-aborted.ts";
import { apply, plan } from "./apply.ts";
import { deleteFile, deletePreviews, sweep } from "./deletion.ts";
import type { FileInputs } from "./inputs.ts";
import { continuationOf, FileProgress } from "./progress.ts";
import { type FileReport, fileOutputs, publicFileReport } from "./report.ts";
import type { FileSession } from "./session.ts";
import type { FileTask } from "./target.ts";
import { FileWriteBacks } from "./write-backs.ts";

/** What a run does, and with which file. */
export interface FileRun {
  event: WorkflowEvent;
  /** Validated, with settings. */
  inputs: FileInputs;
  task: FileTask;
  file: DeclarativeFile;
  identity: FileIdentity;
  report: FileReport;
}

/**
 * Executes the task, and reports its result in the log, the outputs and GitHub.
 * @returns the exit status
 */
export async function executeFile({ task, ...run }: FileRun, tools: Tools): Promise<number> {
  const { inputs, event, report } = run;
  const { runner, redactor, console, signal } = tools;
  const { settings } = inputs;
  if (settings === undefined) return 1;
  const client = connectToControlPlane(settings, redactor, console);
  const github = connectToGitHub(inputs.githubToken, event, console, signal);
  const progress = new FileProgress(client, console, runner, report);
  const connect = (url: string) => new AgentServer({ url, settings, redactor, userAgent: "action" });
  const session: FileSession = { ...tools, ...run, settings, client, github, progress, connect };
  const writeBacks = new FileWriteBacks(session, "pullRequest" in task ? task.pullRequest : undefined);
  saveState(runner, "phase", "running");
  console.info(`graphdeploy: ${task.kind} ${report.title} on ${client.baseUrl}`);
  const unprotected = unprotectedWarning(secretsByName(run.file));
  if (unprotected !== undefined) console.warning(unprotected);
  try {
    await untilAborted(runTask(session, task, writeBacks), signal);
  } catch (error) {
    report.result = resultOf(error);
    report.message = inInputNames(redactor.text(messageOf(error)));
  }
  const isOver = report.result !== undefined && successes.has(report.result);
  if (signal.aborted && !isOver) await reportCancel(session);
  const status = conclude(session);
  writeOutputs(session);
  await writeBacks.end();
  return status;
}

/** The secrets of all deployments, each named as in the file. */
function secretsByName({ deployments }: DeclarativeFile): Record<string, string> {
  const named = deployments.flatMap(({ key, desired }) =>
    Object.entries(desired.secrets ?? {}).map(([name, value]) => [`${key}.secrets.${name}`, value] as const),
  );
  return Object.fromEntries(named);
}

async function runTask(session: FileSession, task: FileTask, writeBacks: FileWriteBacks): Promise<void> {
  const { event } = session;
  const begin = (ref: string) => (found: Parameters<FileWriteBacks["begin"]>[0]) => {
    // Ids are outputs before the wait.
    writeOutputs(session);
    return writeBacks.begin(found, ref);
  };
  switch (task.kind) {
    case "plan":
      return plan(session, task.source);
    case "deploy":
      return apply(session, task.source, begin(task.source.commit ?? task.source.ref ?? event.sha));
    case "preview":
      writeBacks.rememberComment();
      return applyPreviews(session, task, begin(task.source.commit ?? task.source.ref ?? event.sha));
    case "delete":
      return deleteFile(session);
    case "delete-preview":
      writeBacks.rememberComment();
      return deletePreviews(session, task.pullRequest);
    case "sweep":
      return sweep(session, (pullRequest, deleted) => writeBacks.commentSwept(pullRequest, deleted));
  }
}

/** Applies the previews of a pull request, unless it was closed: then they would never be deleted. */
async function applyPreviews(
  session: FileSession,
  { pullRequest, source }: FileTask & { kind: "preview" },
  begin: Parameters<typeof apply>[2],
): Promise<void> {
  const { console, signal } = session;
  const closed = `Pull request #${pullRequest} was closed in the meantime`;
  if (await wasClosed(session, pullRequest)) {
    console.notice(`${closed}, so it gets no previews.`);
    return deletePreviews(session, pullRequest);
  }
  warnOfOtherRefs(session, source.ref);
  let failure: unknown;
  await apply(session, source, begin).catch((error: unknown) => {
    failure = error;
  });
  if (!signal.aborted && (await wasClosed(session, pullRequest))) {
    console.notice(`${closed}; deleting its previews.`);
    return deletePreviews(session, pullRequest);
  }
  if (failure !== undefined) throw failure;
}

async function wasClosed({ github }: FileSession, pullRequest: number): Promise<boolean> {
  return github !== undefined && (await isPullRequestOpen(github, pullRequest)) === false;
}

/** A file that names a fixed branch makes previews of that branch. */
function warnOfOtherRefs({ file, console }: FileSession, head: string | undefined): void {
  if (head === undefined) return;
  for (const { key, desired } of file.deployments) {
    const { repoRef } = desired.sourceRevisionConfig ?? {};
    if (repoRef === undefined || repoRef === head) continue;
    console.warning(
      `${key}: its preview is built from ${repoRef}, not from ${head} of the pull request. Declare repo_ref with a variable, such as \${GIT_REF:-main}, and set it in the env of the step.`,
    );
  }
}

/** Reports what is known of each deployment that was begun, and interrupts the rollouts if the inputs say so. */
async function reportCancel(session: FileSession): Promise<void> {
  const { report, inputs } = session;
  report.result = "cancelled";
  const left = [...report.deployments].filter(([key]) => isLeft(session, key));
  const interrupts = inputs.onCancel === "interrupt";
  for (const [, state] of left) state.message = continuationOf(state);
  if (interrupts) await Promise.all(left.map(([key]) => interrupt(session, key)));
  const keys = left.map(([key]) => key).join(", ");
  report.message =
    left.length === 0
      ? "Cancelled. Nothing that was begun is in progress."
      : `Cancelled. ${interrupts ? "Asked the platform to interrupt" : "On the platform continue"}: ${keys}. The next run follows what goes on.`;
}

function isLeft({ report, progress }: FileSession, key: string): boolean {
  const result = report.deployments.get(key)?.result;
  return result === "interrupted" || (result === undefined && progress.active.includes(key));
}

async function interrupt({ client, report }: FileSession, key: string): Promise<void> {
  const state = report.deployments.get(key);
  if (state?.id === undefined || state.revisionId === undefined) return;
  try {
    await client.revisions.interrupt(state.id, state.revisionId, { deadlineMs: 2_000 });
    state.message = `Requested that the platform interrupt revision ${state.revisionId}.`;
  } catch (error) {
    const why = error instanceof TimeoutError ? `no response within ${formatDuration(2_000)}` : messageOf(error);
    state.message = `Revision ${state.revisionId} couldn't be interrupted (${why}), so it continues.`;
  }
}

/** Prints how the run ended. @returns the exit status */
function conclude(session: FileSession): number {
  const { console, report } = session;
  const { result = "failed", message = "" } = report;
  report.result = result;
  if (successes.has(result)) return 0;
  if (result === "cancelled") {
    for (const [key, state] of report.deployments) {
      if (isLeft(session, key)) console.info(`${key}: ${state.message}`);
    }
    console.warning(message, `graphdeploy: ${result}`);
  } else console.error(message, `graphdeploy: ${result}`);
  return 1;
}

function writeOutputs({ report, declaredSecrets, outputs }: FileSession): void {
  const shown = publicFileReport(report, declaredSecrets);
  for (const [name, read] of Object.entries(fileOutputs)) {
    const value = read(shown);
    if (value !== undefined) outputs.set(name, value);
  }
}
