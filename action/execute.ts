import { unprotectedWarning } from "../core/redact.ts";
import { connectToControlPlane } from "./control-plane.ts";
import { declare } from "./declaration.ts";
import { deploy, redeploy } from "./deploy.ts";
import type { WorkflowEvent } from "./event.ts";
import { handleCancel, isFailedRollout, logTailOf, messageOf, resultOf } from "./failure.ts";
import { connectToGitHub } from "./github/client.ts";
import { inInputNames } from "./input-names.ts";
import type { Inputs } from "./inputs.ts";
import { successes } from "./operations.ts";
import { ownerFor } from "./ownership.ts";
import { plan } from "./plan.ts";
import { deleteItself, deletePreview, sweep, wasClosed } from "./preview.ts";
import { Progress } from "./progress.ts";
import type { Report } from "./report.ts";
import { rollBack } from "./rollback.ts";
import type { Runner } from "./runner.ts";
import type { Session } from "./session.ts";
import { SmokeTestError } from "./smoke-test.ts";
import { saveState } from "./state.ts";
import type { Target } from "./target.ts";
import type { Tools } from "./tools.ts";
import { untilAborted } from "./until-aborted.ts";
import { WriteBacks } from "./write-backs.ts";

type Task = Exclude<Target, { kind: "skip" | "refuse" | "look-up" }>;

/**
 * Executes the task, and reports its result in the log, the outputs and GitHub.
 * @param inputs validated, with settings
 * @returns the exit status
 */
export async function execute(
  event: WorkflowEvent,
  inputs: Inputs,
  task: Task,
  tools: Tools & { report: Report },
): Promise<number> {
  const { runner, redactor, declaredSecrets, console, outputs, report, signal } = tools;
  const { settings } = inputs;
  if (settings === undefined) return 1;
  const client = connectToControlPlane(settings, redactor, console);
  const progress = new Progress(client, console, report, outputs, (known) => rememberIds(runner, known));
  const github = connectToGitHub(inputs.githubToken, event, console, signal);
  const session: Session = {
    runner,
    client,
    inputs,
    event,
    console,
    redactor,
    declaredSecrets,
    progress,
    report,
    github,
    signal,
  };
  const pullRequest = "pullRequest" in task ? task.pullRequest : undefined;
  const writeBacks = new WriteBacks(session, pullRequest);
  saveState(runner, "phase", "running");
  console.info(`graphdeploy: ${report.task} on ${client.baseUrl}`);
  const unprotected = unprotectedWarning(inputs.declared.secrets ?? {});
  if (unprotected !== undefined) console.warning(unprotected);
  try {
    await untilAborted(runTask(session, task, writeBacks), signal);
  } catch (error) {
    await fail(session, task, error);
  }
  if (task.kind === "preview" && report.result !== "skipped" && !signal.aborted)
    await deleteIfClosed(session, task.pullRequest);
  await progress.end({ finalRead: !signal.aborted });
  const status = conclude(session);
  outputs.update(report);
  await writeBacks.end();
  return status;
}

async function runTask(session: Session, task: Task, writeBacks: WriteBacks): Promise<void> {
  const { inputs, event, report, console } = session;
  const repository = event;
  const isOwn = (revisionId: string) => writeBacks.isOwnRevision(revisionId);
  switch (task.kind) {
    case "deploy": {
      await writeBacks.begin(task.source.commit ?? task.source.ref ?? event.sha);
      const desired = declare(inputs.declared, report.name, task.source);
      return deploy(session, { desired, source: task.source, owner: ownerFor(repository), isPreview: false, isOwn });
    }
    case "preview": {
      writeBacks.rememberComment();
      const owner = ownerFor(repository, task.pullRequest);
      if (await wasClosed(session, task.pullRequest)) {
        console.notice(`Pull request #${task.pullRequest} was closed in the meantime, so it gets no preview.`);
        return deletePreview(session, task.pullRequest);
      }
      await writeBacks.begin(task.source.commit ?? task.source.ref);
      const desired = declare(inputs.declared, report.name, task.source);
      return deploy(session, { desired, source: task.source, owner, isPreview: true, isOwn });
    }
    case "redeploy":
      await writeBacks.begin(event.sha);
      return redeploy(session);
    case "plan":
      return plan(session, task.source);
    case "delete":
      return deleteItself(session, task.onlyRef);
    case "delete-preview":
      writeBacks.rememberComment();
      return deletePreview(session, task.pullRequest);
    case "sweep":
      return sweep(session);
  }
}

/** Reports a failure, and rolls back if the inputs say so. */
async function fail(session: Session, task: Task, error: unknown): Promise<void> {
  const { console, inputs, report, signal } = session;
  const isCancelled = signal.aborted;
  report.result = isCancelled ? "cancelled" : resultOf(error);
  const deletes = task.kind === "delete" || task.kind === "delete-preview" || task.kind === "sweep";
  // Redacted first: replacing names could break up a secret.
  const redacted = () => inInputNames(session.redactor.text(messageOf(error)));
  report.message = isCancelled ? await handleCancel(session, deletes) : redacted();
  report.logTail = logTailOf(error);
  if (isCancelled) return;
  await session.progress.end();
  console.printLog("The last lines of the log", report.logTail);
  const mayRollBack = isFailedRollout(error) || error instanceof SmokeTestError;
  if (inputs.onFailure === "rollback" && mayRollBack && report.created === false) {
    try {
      const pullRequest = task.kind === "preview" ? task.pullRequest : undefined;
      await rollBack(session, ownerFor(session.event, pullRequest));
    } catch {
      report.result = "cancelled";
      report.message = `${report.message} The rollback was cancelled and continues on the platform.`;
    }
  }
}

/**
 * Deletes a preview whose pull request was closed during the rollout: the run of that event found nothing to delete.
 */
async function deleteIfClosed(session: Session, pullRequest: number): Promise<void> {
  const { report, console } = session;
  if (report.result === "deleted" || !(await wasClosed(session, pullRequest))) return;
  console.notice(`Pull request #${pullRequest} was closed in the meantime; deleting its preview.`);
  try {
    await deletePreview(session, pullRequest);
  } catch (error) {
    await fail(session, { kind: "delete-preview", pullRequest, isFork: false }, error);
  }
}

/** Prints how the run ended. @returns the exit status */
function conclude({ console, inputs, report, redactor }: Session): number {
  const { result = "failed", message, name, status, url } = report;
  report.result = result;
  const title = `graphdeploy: ${result}${result === "failed" && status ? ` (${redactor.text(status)})` : ""}`;
  if (successes.has(result)) {
    if (result === "deployed") console.info(`${name} is live${url === undefined ? "." : `: ${url}`}`);
    return 0;
  }
  if (result === "superseded" && inputs.onSuperseded === "warn") {
    console.warning(message ?? "", title);
    return 0;
  }
  if (result === "cancelled") console.warning(message ?? "", title);
  else console.error(message ?? "", title);
  return 1;
}

function rememberIds(runner: Runner, { deploymentId, revisionId, url, webUrl }: Report): void {
  if (deploymentId !== undefined) saveState(runner, "deployment-id", deploymentId);
  if (revisionId !== undefined) saveState(runner, "revision-id", revisionId);
  if (url !== undefined) saveState(runner, "url", url);
  if (webUrl !== undefined) saveState(runner, "web-url", webUrl);
}
