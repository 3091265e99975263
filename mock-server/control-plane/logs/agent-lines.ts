import type { AgentLogEntry } from "../../kit/agent-log.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Redaction } from "../../kit/redaction.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { LogLine } from "./log-lines.ts";

/** Maximum number of lines of each deployment; the oldest are dropped. */
const maxLines = 5_000;
/** Maximum length of a line, in characters. */
const maxMessageLength = 8_192;

interface AgentLine extends LogLine {
  revisionId: string;
}

/** The logs of all agent servers, in memory. Not part of snapshots. */
export class AgentLines {
  readonly #clock: Clock;
  readonly #redaction: Redaction;
  readonly #lines = new Map<string, AgentLine[]>();
  #count = 0;

  constructor({ clock, redaction }: Pick<ControlPlaneOptions, "clock" | "redaction">) {
    this.#clock = clock;
    this.#redaction = redaction;
  }

  /** Adds a line with the time of the server's clock. */
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
    // Trimmed in blocks, so that not every line moves the whole array.
    if (lines.length >= 2 * maxLines) lines.splice(0, lines.length - maxLines);
  }

  #shortened(message: string): string {
    if (message.length <= maxMessageLength) return message;
    // Redacted before it is cut: half of a secret would not be recognized later.
    const shown = this.#redaction.text(message).slice(0, maxMessageLength);
    // A slice would keep the whole string in memory; a copy doesn't.
    return `${Buffer.from(shown).toString()}…`;
  }

  /** The lines of a deployment, or of one revision of it, oldest first. */
  of(deploymentId: string, revisionId?: string): LogLine[] {
    const lines = (this.#lines.get(deploymentId) ?? []).slice(-maxLines);
    const chosen = revisionId === undefined ? lines : lines.filter((line) => line.revisionId === revisionId);
    return chosen.map(({ revisionId: _, ...line }) => line);
  }

  /** Removes the lines of one deployment, or of all. */
  clear(deploymentId?: string): void {
    if (deploymentId === undefined) this.#lines.clear();
    else this.#lines.delete(deploymentId);
  }
}
