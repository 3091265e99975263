import type { AgentLogEntry } from "../../agent-server/agent-log.ts";
import type { Clock } from "../../kit/clock.ts";
import type { LogLine } from "./log-lines.ts";

/** Lines kept of each deployment; a longer log loses its oldest. */
const lineLimit = 5_000;
/** Of one line, in characters. */
const messageLimit = 8_192;

interface AgentLine extends LogLine {
  revisionId: string;
}

/** What the agent servers of all deployments have logged. It isn't part of a snapshot. */
export class AgentLines {
  readonly #clock: Clock;
  readonly #lines = new Map<string, AgentLine[]>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a line, with the time of the server's clock. */
  add({ deploymentId, revisionId, level, message }: AgentLogEntry): void {
    const lines = this.#lines.get(deploymentId) ?? [];
    this.#lines.set(deploymentId, lines);
    this.#count += 1;
    lines.push({
      id: `${revisionId}-agent-${this.#count}`,
      timestamp: this.#clock.now(),
      level,
      message: message.length > messageLimit ? `${message.slice(0, messageLimit)}…` : message,
      revisionId,
    });
    // Cut in blocks: an array that is full must not be moved for every line.
    if (lines.length >= 2 * lineLimit) lines.splice(0, lines.length - lineLimit);
  }

  /** The lines of a deployment, or of one revision of it, oldest first. */
  of(deploymentId: string, revisionId?: string): LogLine[] {
    const lines = (this.#lines.get(deploymentId) ?? []).slice(-lineLimit);
    const chosen = revisionId === undefined ? lines : lines.filter((line) => line.revisionId === revisionId);
    return chosen.map(({ revisionId: _, ...line }) => line);
  }

  /** Forgets the lines of one deployment, or of all. */
  forget(deploymentId?: string): void {
    if (deploymentId === undefined) this.#lines.clear();
    else this.#lines.delete(deploymentId);
  }
}
