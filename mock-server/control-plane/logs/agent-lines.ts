import type { AgentLogEntry } from "../../kit/agent-log.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Redaction } from "../../kit/redaction.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { LogLine } from "./log-lines.ts";

/** Lines kept of each deployment; a longer log loses its oldest. */
const maxLines = 5_000;
/** Of one line, in characters. */
const maxMessageLength = 8_192;

interface AgentLine extends LogLine {
  revisionId: string;
}

/** What the agent servers of all deployments have logged. It isn't part of a snapshot. */
export class AgentLines {
  readonly #clock: Clock;
  readonly #redaction: Redaction;
  readonly #lines = new Map<string, AgentLine[]>();
  #count = 0;

  constructor({ clock, redaction }: Pick<ControlPlaneOptions, "clock" | "redaction">) {
    this.#clock = clock;
    this.#redaction = redaction;
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
      message: this.#shortened(message),
      revisionId,
    });
    // Cut in blocks: an array that is full must not be moved for every line.
    if (lines.length >= 2 * maxLines) lines.splice(0, lines.length - maxLines);
  }

  #shortened(message: string): string {
    if (message.length <= maxMessageLength) return message;
    // A secret that is cut in two wouldn't be known any more when the line is read.
    const shown = this.#redaction.text(message).slice(0, maxMessageLength);
    // A part of a string keeps all of it in memory; a copy doesn't.
    return `${Buffer.from(shown).toString()}…`;
  }

  /** The lines of a deployment, or of one revision of it, oldest first. */
  of(deploymentId: string, revisionId?: string): LogLine[] {
    const lines = (this.#lines.get(deploymentId) ?? []).slice(-maxLines);
    const chosen = revisionId === undefined ? lines : lines.filter((line) => line.revisionId === revisionId);
    return chosen.map(({ revisionId: _, ...line }) => line);
  }

  /** Forgets the lines of one deployment, or of all. */
  clear(deploymentId?: string): void {
    if (deploymentId === undefined) this.#lines.clear();
    else this.#lines.delete(deploymentId);
  }
}
