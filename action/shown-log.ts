import type { Redactor } from "../core/redact.ts";
import { lastLinesWithin } from "./markdown.ts";

/** The most lines that are kept in memory. */
const maxLines = 2_000;

/** The limit of the output `log`, in bytes. GitHub's limit for all outputs of a job is 1 MiB. */
const maxBytes = 32 * 1024;

/** The end of the logs that a run has printed. */
export class ShownLog {
  #lines: string[] = [];

  add(lines: readonly string[]): void {
    this.#lines = [...this.#lines, ...lines].slice(-maxLines);
  }

  /**
   * The text for the output, redacted before truncation since half a secret isn't recognized; `undefined` if no log was
   * printed.
   */
  text(redactor: Redactor): string | undefined {
    if (this.#lines.length === 0) return undefined;
    return lastLinesWithin(redactor.text(this.#lines.join("\n")).split("\n"), maxBytes).join("\n");
  }
}
