import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { FilePlan } from "../../core/reconcile/file/plan.ts";
import {
  type CommentSubject,
  maxTableBytes as maxCommentTableBytes,
  upsertComment,
  withinComment,
} from "../github/comment.ts";
import {
  closeLeftOpen,
  earlierDeployments,
  type GitHubDeployment,
  type DeploymentState as GitHubState,
  retireEnvironment,
  startGitHubDeployment,
  stateOfResult,
  updateGitHubDeployment,
} from "../github/deployments.ts";
import { maxTableBytes, withinSummary } from "../github/summary.ts";
import { saveState } from "../state.ts";
import type { DeploymentState, FileReport } from "./report.ts";
import { renderFileReport } from "./report-markdown.ts";
import type { FileSession } from "./session.ts";
import { previewTitle } from "./subject.ts";

const stateOfOutcome: Readonly<Record<NonNullable<DeploymentState["result"]>, GitHubState>> = {
  created: "success",
  updated: "success",
  unchanged: "success",
  deleted: "inactive",
  failed: "failure",
  skipped: "inactive",
  interrupted: "inactive",
};

/** Everything that a run of a file writes to GitHub: deployments, comment and summary. None of it can fail the run. */
export class FileWriteBacks {
  readonly #session: FileSession;
  readonly #pullRequest: number | undefined;
  /** With the key of the deployment; `undefined` for one that stands for the whole file. */
  readonly #deployments: { key: string | undefined; deployment: GitHubDeployment }[] = [];

  constructor(session: FileSession, pullRequest: number | undefined) {
    this.#session = session;
    this.#pullRequest = pullRequest;
  }

  /** Saves what the post step needs to update the comment if this step is killed. */
  rememberComment(): void {
    const { runner, inputs, report } = this.#session;
    if (!inputs.comment || this.#pullRequest === undefined) return;
    const { name, baseUrl } = this.#subject(report.subject);
    const comment = { name, title: report.title, baseUrl, pullRequest: this.#pullRequest };
    saveState(runner, "comment", JSON.stringify(comment));
  }

  /**
   * Creates the GitHub deployments: one for each deployment that changes where the environment names them, else one for
   * the file. Call it before anything changes on the platform.
   */
  async begin({ deployments }: FilePlan, ref: string): Promise<void> {
    const { inputs, report } = this.#session;
    const { githubEnvironment: pattern } = inputs;
    const changed = deployments.filter(({ action, content }) => action !== "nothing" || content.length > 0);
    if (pattern === undefined || changed.length === 0) return;
    if (!pattern.includes("{name}")) return this.#begin(undefined, report.subject, pattern, ref);
    for (const { key, name } of changed) await this.#begin(key, name, pattern.replaceAll("{name}", name), ref);
  }

  async #begin(key: string | undefined, name: string, environment: string, ref: string): Promise<void> {
    const { github, event, report, runner } = this.#session;
    if (github === undefined) return;
    const subject = this.#subject(name);
    const { runUrl } = event;
    const { isPreview } = report;
    const deployment = await startGitHubDeployment(github, { environment, subject, ref, isPreview, runUrl });
    if (deployment === undefined) return;
    this.#deployments.push({ key, deployment });
    saveState(runner, "github-deployment", this.#deployments.map((one) => one.deployment.id).join(","));
    const found = await earlierDeployments(github, { environment, subject, isOwnEnvironment: key !== undefined });
    const details = { runUrl, description: "Its run didn't say how it ended; a later run took over." };
    for (const earlier of found) {
      if (earlier.isOpen && earlier.id !== deployment.id) await closeLeftOpen(github, earlier, details);
    }
  }

  /** Reports the result. */
  async end(): Promise<void> {
    const { runner, report, console } = this.#session;
    const { result = "failed" } = report;
    saveState(runner, "result", result);
    for (const { key, deployment } of this.#deployments) await this.#endDeployment(key, deployment);
    saveState(runner, "github-deployment", "");
    await this.#retireDeleted();
    if (this.#session.inputs.summary) {
      try {
        await runner.summary.addRaw(withinSummary(this.#render(report, maxTableBytes))).write();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        console.warning(`The summary of the job couldn't be written: ${why}`);
      }
    }
    const isWorthIt = report.deployments.size > 0 || (result !== "deleted" && result !== "skipped");
    if (this.#pullRequest !== undefined) await this.#comment(this.#pullRequest, report, isWorthIt);
    // After this, the post step has nothing left to do.
    saveState(runner, "phase", "done");
  }

  async #endDeployment(key: string | undefined, deployment: GitHubDeployment): Promise<void> {
    const { github, report, event, redactor } = this.#session;
    if (github === undefined) return;
    const { runUrl } = event;
    if (key === undefined) {
      const description = redactor.text(report.message ?? "");
      await updateGitHubDeployment(github, deployment, stateOfResult[report.result ?? "failed"], {
        runUrl,
        description,
      });
      return;
    }
    const { result = "interrupted", url, message = "" } = report.deployments.get(key) ?? {};
    const isLive = stateOfOutcome[result] === "success";
    const details = { url: isLive ? url : undefined, runUrl, description: redactor.text(message) };
    await updateGitHubDeployment(github, deployment, stateOfOutcome[result], details);
  }

  /** The environments of deleted deployments, where they have environments of their own. */
  async #retireDeleted(): Promise<void> {
    const { github, inputs, report, event, signal } = this.#session;
    const { githubEnvironment: pattern } = inputs;
    if (github === undefined || signal.aborted || pattern?.includes("{name}") !== true) return;
    for (const { name, result } of report.deployments.values()) {
      if (result === "deleted") await retireEnvironment(github, pattern.replaceAll("{name}", name), event.runUrl);
    }
  }

  /** Updates the comment of a pull request, which still shows the previews that a sweep deleted as live. */
  async commentSwept(pullRequest: number, deleted: readonly Outcome[]): Promise<void> {
    const { report, identity } = this.#session;
    const swept: FileReport = {
      ...report,
      title: previewTitle(identity.path, pullRequest),
      result: "deleted",
      deployments: new Map(deleted.map(({ key, name, result }) => [key, { name, result }])),
      message: "The pull request is closed, so a sweep deleted its previews.",
    };
    await this.#comment(pullRequest, swept, false);
  }

  async #comment(pullRequest: number, report: FileReport, mayBeFirst: boolean): Promise<void> {
    const { github, inputs } = this.#session;
    if (github === undefined || !inputs.comment) return;
    const text = withinComment(this.#render(report, maxCommentTableBytes));
    await upsertComment(github, pullRequest, { subject: this.#subject(report.subject), text, mayBeFirst });
  }

  #render(report: FileReport, bytes: number): string {
    const { declaredSecrets, redactor } = this.#session;
    return renderFileReport(report, bytes, declaredSecrets, redactor);
  }

  #subject(name: string): CommentSubject {
    return { name, baseUrl: this.#session.client.baseUrl };
  }
}
