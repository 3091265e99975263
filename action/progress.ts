import type { ControlPlane } from "../core/client/client.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import type { Revision } from "../core/client/wire/revisions.ts";
import { isBeforeBuild } from "../core/client/wire/revisions.ts";
import type { OnProgress, ProgressEvent } from "../core/rollout/waiting.ts";
import type { Console } from "./console.ts";
import { recordOf } from "./deployment-record.ts";
import type { Outputs } from "./outputs.ts";
import { progressText } from "./progress-text.ts";
import { publicUrl } from "./public-url.ts";
import type { Report } from "./report.ts";
import { RevisionLog } from "./revision-log.ts";
import { ShownLog } from "./shown-log.ts";

/**
 * Turns the core's progress events into log lines, outputs and the report, and prints the revision's logs as they grow.
 */
export class Progress {
  readonly #client: ControlPlane;
  readonly #console: Console;
  readonly #report: Report;
  readonly #outputs: Outputs;
  readonly #onIds: (report: Report) => void;
  readonly #shown = new ShownLog();
  #log: RevisionLog | undefined;
  #hasShownBuild = false;
  #ended: Promise<unknown> = Promise.resolve();

  /** @param onIds called when the id of a deployment or revision becomes known, to save what must survive a kill */
  constructor(
    client: ControlPlane,
    console: Console,
    report: Report,
    outputs: Outputs,
    onIds: (report: Report) => void,
  ) {
    this.#client = client;
    this.#console = console;
    this.#report = report;
    this.#outputs = outputs;
    this.#onIds = onIds;
  }

  readonly onProgress: OnProgress = (event) => this.#take(event);

  /** Reports a deployment that was read or written. */
  reportDeployment(deployment: Deployment, created?: boolean): void {
    this.#report.deploymentId = deployment.id;
    this.#report.created = created ?? this.#report.created ?? false;
    const url = deployment.source_config.custom_url ?? undefined;
    const webUrl = this.#client.webUrl(deployment);
    if (url !== undefined) this.#report.url = publicUrl(url);
    if (webUrl !== undefined) this.#report.webUrl = webUrl;
    this.#report.deployment = recordOf(deployment);
    this.#changed();
  }

  reportRevision(revision: Revision): void {
    this.#report.revisionId = revision.id;
    this.#report.status = revision.status;
    const commit = revision.source_revision_config.repo_commit_sha;
    if (commit !== undefined && commit !== null) this.#report.commit = commit;
    this.#changed();
  }

  /** Ends the last status and prints the rest of the logs; `finalRead: false` skips that when there is no time. */
  async end(options: { finalRead: boolean } = { finalRead: true }): Promise<void> {
    this.#closeStep();
    this.#endLog(options.finalRead);
    await this.#ended;
    const log = this.#shown.text(this.#client.redactor);
    if (log !== undefined) this.#report.log = log;
    this.#outputs.update(this.#report);
  }

  #take(event: ProgressEvent): void {
    if (event.type === "status") this.#takeStatus(event);
    else this.#print(event);
    if (event.type === "deployment") {
      this.#report.deploymentId = event.deploymentId;
      this.#report.created = event.created;
    } else if (event.type === "revision") {
      this.#report.revisionId = event.revisionId;
      if (event.webUrl !== undefined) this.#report.webUrl = event.webUrl;
    } else if (event.type !== "status") return;
    this.#changed();
  }

  #print(event: ProgressEvent): void {
    const text = progressText(event);
    if (text === undefined) return;
    if (event.type === "warning") this.#console.warning(text);
    else this.#console.info(text);
  }

  #takeStatus(event: ProgressEvent & { type: "status" }): void {
    const { revisionId, status, previous } = event;
    this.#closeStep();
    this.#report.status = status;
    this.#report.steps.push({ status, startedAtMs: this.#client.clock.now(), durationMs: 0 });
    this.#print(event);
    this.#endLog(true);
    const { deploymentId } = this.#report;
    if (deploymentId === undefined) return;
    const show = (kind: "build" | "deploy") => {
      this.#endLog(true);
      this.#log = new RevisionLog(this.#client, this.#console, this.#shown, kind, deploymentId, revisionId);
    };
    // A build that ended between two polls is shown as well, unless the whole rollout did.
    const hasBuilt = previous !== undefined && !isBeforeBuild(status);
    if (!this.#hasShownBuild && (status === "BUILDING" || hasBuilt)) {
      this.#hasShownBuild = true;
      show("build");
    }
    if (status === "DEPLOYING") show("deploy");
  }

  #endLog(finalRead: boolean): void {
    const log = this.#log;
    this.#log = undefined;
    if (log !== undefined) this.#ended = Promise.all([this.#ended, log.stop({ finalRead })]);
  }

  #closeStep(): void {
    const last = this.#report.steps.at(-1);
    if (last !== undefined && last.durationMs === 0) last.durationMs = this.#client.clock.now() - last.startedAtMs;
  }

  #changed(): void {
    this.#outputs.update(this.#report);
    this.#onIds(this.#report);
  }
}
