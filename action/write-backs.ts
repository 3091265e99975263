import { renderComment, upsertComment } from "./github/comment.ts";
import {
  closeLeftOpen,
  type EarlierDeployment,
  earlierDeployments,
  type GitHubDeployment,
  startGitHubDeployment,
  stateOfResult,
  updateGitHubDeployment,
} from "./github/deployments.ts";
import { writeSummary } from "./github/summary.ts";
import type { Session } from "./session.ts";
import { saveState } from "./state.ts";

/** Everything that the run writes to GitHub: deployment, comment and summary. None of it can fail the run. */
export class WriteBacks {
  readonly #session: Session;
  readonly #pullRequest: number | undefined;
  #deployment: GitHubDeployment | undefined;
  #earlier: readonly EarlierDeployment[] = [];

  constructor(session: Session, pullRequest: number | undefined) {
    this.#session = session;
    this.#pullRequest = pullRequest;
  }

  /**
   * Saves what the post step needs to update the comment if this step is killed; otherwise it would keep showing the
   * previous state.
   */
  rememberComment(): void {
    const { runner, client, inputs, report } = this.#session;
    if (!inputs.comment || this.#pullRequest === undefined) return;
    saveState(
      runner,
      "comment",
      JSON.stringify({ name: report.name, baseUrl: client.baseUrl, pullRequest: this.#pullRequest }),
    );
  }

  /** Creates the GitHub deployment. Call it before anything changes on the platform. */
  async begin(ref: string | undefined): Promise<void> {
    const { runner, client, github, inputs, report, event } = this.#session;
    const { name, isPreview } = report;
    const subject = { name, baseUrl: client.baseUrl };
    const environment = inputs.githubEnvironment?.replaceAll("{name}", name);
    if (github === undefined || environment === undefined || ref === undefined) return;
    const deployment = await startGitHubDeployment(github, {
      environment,
      subject,
      ref,
      isPreview,
      runUrl: event.runUrl,
    });
    if (deployment === undefined) return;
    this.#deployment = deployment;
    saveState(runner, "github-deployment", String(deployment.id));
    const isOwnEnvironment = inputs.githubEnvironment?.includes("{name}") === true;
    const found = await earlierDeployments(github, { environment, subject, isOwnEnvironment });
    this.#earlier = found.filter(({ id }) => id !== deployment.id);
  }

  /** Whether an earlier attempt of this run made a revision and left it in progress. */
  isOwnRevision(revisionId: string): boolean {
    const { runUrl } = this.#session.event;
    return this.#earlier.some(({ run, description }) => run === runUrl && description.includes(revisionId));
  }

  /** Reports the result. */
  async end(): Promise<void> {
    const { runner, client, github, inputs, report, redactor, declaredSecrets, event, console, signal } = this.#session;
    const { result = "failed", url } = report;
    saveState(runner, "result", result);
    if (github !== undefined && this.#deployment !== undefined) {
      const details = {
        url: result === "deployed" ? url : undefined,
        runUrl: event.runUrl,
        description: redactor.text(report.message ?? ""),
      };
      await updateGitHubDeployment(github, this.#deployment, stateOfResult[result], details);
      saveState(runner, "github-deployment", "");
    }
    // A cancelled run has no time for this; the next run does it.
    if (!signal.aborted) await this.#closeEarlier();
    if (inputs.summary) {
      try {
        await writeSummary(runner, report, declaredSecrets, redactor);
      } catch (error) {
        console.warning(
          `The summary of the job couldn't be written: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    if (github !== undefined && inputs.comment && this.#pullRequest !== undefined) {
      await upsertComment(github, this.#pullRequest, {
        subject: { name: report.name, baseUrl: client.baseUrl },
        text: renderComment(report, declaredSecrets, redactor),
        // A pull request that never had a preview needs no comment about its deletion.
        mayBeFirst: report.deploymentId !== undefined || (result !== "deleted" && result !== "skipped"),
      });
    }
    // After this, the post step has nothing left to do.
    saveState(runner, "phase", "done");
  }

  /**
   * Closes GitHub deployments that lost runs left in progress. A run that is still alive writes its own final state
   * later.
   */
  async #closeEarlier(): Promise<void> {
    const { github, event } = this.#session;
    if (github === undefined) return;
    const details = { runUrl: event.runUrl, description: "Its run didn't say how it ended; a later run took over." };
    for (const deployment of this.#earlier.filter(({ isOpen }) => isOpen))
      await closeLeftOpen(github, deployment, details);
  }
}
