import { renderComment, upsertComment } from "./github/comment.ts";
import {
  type DeploymentState,
  type GitHubDeployment,
  startGitHubDeployment,
  updateGitHubDeployment,
} from "./github/deployments.ts";
import { writeSummary } from "./github/summary.ts";
import type { Result } from "./operations.ts";
import type { Session } from "./session.ts";
import { saveState } from "./state.ts";

const states: Readonly<Record<Result, DeploymentState>> = {
  deployed: "success",
  started: "in_progress",
  failed: "failure",
  superseded: "inactive",
  interrupted: "failure",
  "timed-out": "in_progress",
  cancelled: "inactive",
  skipped: "inactive",
  planned: "inactive",
  deleted: "inactive",
};

/** Everything that the run tells GitHub: the deployment, the comment and the summary. None of it can fail the run. */
export class WriteBacks {
  readonly #session: Session;
  readonly #pullRequest: number | undefined;
  #deployment: GitHubDeployment | undefined;

  constructor(session: Session, pullRequest: number | undefined) {
    this.#session = session;
    this.#pullRequest = pullRequest;
  }

  /** Before anything is changed on the platform. */
  async begin(ref: string | undefined): Promise<void> {
    const { github, inputs, report, event } = this.#session;
    const environment = inputs.githubEnvironment?.replaceAll("{name}", report.name);
    if (github === undefined || environment === undefined || ref === undefined) return;
    const { isPreview } = report;
    this.#deployment = await startGitHubDeployment(github, { environment, ref, isPreview, runUrl: event.runUrl });
    if (this.#deployment !== undefined) saveState("github-deployment", String(this.#deployment.id));
  }

  /** Once the result is known. */
  async end(): Promise<void> {
    const { client, github, inputs, report, redactor, event, console } = this.#session;
    const { result = "failed", url } = report;
    if (github !== undefined && this.#deployment !== undefined) {
      const details = {
        url: result === "deployed" ? url : undefined,
        runUrl: event.runUrl,
        description: redactor.text(report.message ?? ""),
      };
      await updateGitHubDeployment(github, this.#deployment, states[result], details);
    }
    // From here on a kill leaves nothing for the post step to put right.
    saveState("phase", "done");
    if (inputs.summary) {
      try {
        await writeSummary(report, redactor);
      } catch (error) {
        console.warning(
          `The summary of the job couldn't be written: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    if (github !== undefined && inputs.comment && this.#pullRequest !== undefined) {
      await upsertComment(github, this.#pullRequest, {
        subject: { name: report.name, baseUrl: client.baseUrl },
        text: renderComment(report, redactor),
        // A pull request that never had a preview isn't told that it is gone.
        mayBeFirst: report.deploymentId !== undefined || (result !== "deleted" && result !== "skipped"),
      });
    }
  }
}
