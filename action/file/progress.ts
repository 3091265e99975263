import type { ControlPlane } from "../../core/client/client.ts";
import type { PlannedDeployment } from "../../core/reconcile/file/declared.ts";
import { isLiveOutcome, type Outcome } from "../../core/reconcile/file/outcome.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";
import { formatDuration } from "../../core/time.ts";
import type { Console } from "../console.ts";
import { logTailOf, messageOf } from "../failure.ts";
import { progressText } from "../progress-text.ts";
import { publicUrl } from "../public-url.ts";
import type { Runner } from "../runner.ts";
import { saveState } from "../state.ts";
import type { DeploymentState, FileReport } from "./report.ts";

/** The group of the log that holds the events of all rollouts. */
const group = "Rollouts";

/** Turns the events of many deployments into lines of the log, each with its key, and into the report. */
export class FileProgress {
  readonly #client: ControlPlane;
  readonly #console: Console;
  readonly #runner: Runner;
  readonly #report: FileReport;
  /** Keys of what is in progress. */
  readonly #active = new Set<string>();

  constructor(client: ControlPlane, console: Console, runner: Runner, report: FileReport) {
    this.#client = client;
    this.#console = console;
    this.#runner = runner;
    this.#report = report;
  }

  /** Adds what is known before anything is changed. */
  expect({ key, name, deployment }: Pick<PlannedDeployment, "key" | "name" | "deployment">): void {
    const url = deployment?.source_config.custom_url ?? undefined;
    this.#report.deployments.set(key, {
      name,
      id: deployment?.id,
      url: url === undefined ? undefined : publicUrl(url),
      webUrl: deployment === undefined ? undefined : this.#client.webUrl(deployment),
    });
  }

  /** Keys of deployments whose rollout or deletion was begun and hasn't ended. */
  get active(): readonly string[] {
    return [...this.#active];
  }

  readonly onDeploymentProgress = (key: string, event: ProgressEvent): void => {
    const text = progressText(event);
    if (text !== undefined && event.type === "warning") this.#console.warning(`${key}: ${text}`);
    else if (text !== undefined) this.#console.groupedInfo(group, `${key}: ${text}`);
    const state = this.#stateOf(key, key);
    switch (event.type) {
      case "deployment":
      case "deleting":
        state.id = event.deploymentId;
        break;
      case "revision":
        state.revisionId = event.revisionId;
        state.webUrl = event.webUrl ?? state.webUrl;
        break;
      case "status":
        state.status = event.status;
        return;
      default:
        return;
    }
    this.#active.add(key);
    this.#remember();
  };

  readonly onOutcome = (outcome: Outcome): void => {
    const { key, name, result, deploymentId, revisionId, url, error, content, durationMs } = outcome;
    const state = this.#stateOf(key, name);
    state.result = result;
    state.id = deploymentId ?? state.id;
    state.revisionId = revisionId ?? state.revisionId;
    if (url !== undefined) state.url = publicUrl(url);
    if (result === "deleted") delete state.url;
    state.durationMs = durationMs;
    state.message = result === "interrupted" ? continuationOf(state) : error && messageOf(error);
    this.#active.delete(key);
    this.#remember();
    const changes = content.length === 0 ? "" : ` (${content.length} changes on the agent server)`;
    const duration = durationMs === 0 ? "" : ` in ${formatDuration(durationMs)}`;
    const said = state.message ?? (isLiveOutcome(outcome) ? state.url : undefined);
    const line = `${key}: ${result}${duration}${changes}${said === undefined ? "" : `: ${said}`}`;
    if (result === "failed") this.#console.error(line, "graphdeploy: failed");
    else this.#console.info(line);
    this.#console.printLog(`${key}: the last lines of the log`, logTailOf(error));
  };

  #stateOf(key: string, name: string): DeploymentState {
    const known = this.#report.deployments.get(key);
    if (known !== undefined) return known;
    const state: DeploymentState = { name };
    this.#report.deployments.set(key, state);
    return state;
  }

  /** Saves for the post step what continues if this step is killed. */
  #remember(): void {
    const active = this.active.map((key) => `${key} (${knownOf(this.#stateOf(key, key))})`);
    saveState(this.#runner, "in-progress", active.join(", "));
  }
}

function knownOf({ id, revisionId }: DeploymentState): string {
  const known = [id === undefined ? "" : `deployment ${id}`, revisionId === undefined ? "" : `revision ${revisionId}`];
  return known.filter(Boolean).join(", ") || "nothing is known of it yet";
}

/** What is known of a deployment that the run left in progress. */
export function continuationOf(state: DeploymentState): string {
  if (state.id === undefined) return "What was requested of the platform continues; run again to see.";
  const page = state.webUrl === undefined ? "" : ` Its page: ${state.webUrl}`;
  return `It continues on the platform (${knownOf(state)}).${page}`;
}
