import type { LogsPage, LogsRequest } from "../../../core/client/wire/revisions.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { DeploymentRecord, RevisionRecord } from "../store/records.ts";
import type { AgentLines } from "./agent-lines.ts";
import { type LogKind, type LogLine, logOf } from "./log-lines.ts";
import { pageOfLog } from "./log-page.ts";

export interface LogServiceOptions extends Pick<ControlPlaneOptions, "store" | "clock" | "redaction"> {
  agentLines: AgentLines;
}

/**
 * The logs of rollouts and agent servers. Only the output of builds and failures is stored; other lines are derived.
 * Callers check access to the deployment.
 */
export class LogService {
  readonly #options: LogServiceOptions;

  constructor(options: LogServiceOptions) {
    this.#options = options;
  }

  /** One page of one log of a revision. @throws {HttpError} 400 for an invalid request. */
  ofRevision(revision: RevisionRecord, kind: LogKind, request: LogsRequest): LogsPage {
    const { clock, agentLines } = this.#options;
    const ofAgent = kind === "deploy" ? agentLines.of(revision.deploymentId, revision.id) : [];
    return this.#page([...logOf(revision, kind, clock.now()), ...ofAgent], request);
  }

  /** One page of the deploy logs of all revisions of a deployment. @throws {HttpError} 400 for an invalid request. */
  ofDeployment({ id }: DeploymentRecord, request: LogsRequest): LogsPage {
    const { store, clock, agentLines } = this.#options;
    const now = clock.now();
    const lines = store.revisions.find({ deploymentId: id }).flatMap((revision) => logOf(revision, "deploy", now));
    return this.#page([...lines, ...agentLines.of(id)], request);
  }

  #page(lines: LogLine[], request: LogsRequest): LogsPage {
    const ordered = lines.toSorted((a, b) => a.timestamp - b.timestamp);
    return pageOfLog(ordered, request, (text) => this.#options.redaction.text(text));
  }
}
