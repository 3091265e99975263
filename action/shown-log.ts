import type { Redactor } from "../core/redact.ts";
import { lastLinesWithin } from "./markdown.ts";

/** Lines that are kept, so that a log without an end takes no memory without one. */
const maxLines = 2_000;

/** What the output `log` holds at most, in bytes. GitHub takes 1 MiB for all outputs of a job. */
const maxBytes = 32 * 1024;

/** The end of the logs that a run has shown. */
export class ShownLog {
  #lines: string[] = [];

  add(lines: readonly string[]): void {
    this.#lines = [...this.#lines, ...lines].slice(-maxLines);
  }

  /** Redacted before it is cut, since the half of a secret isn't recognized; `undefined` when no log was shown. */
  text(redactor: Redactor): string | undefined {
    if (this.#lines.length === 0) return undefined;
    return lastLinesWithin(redactor.text(this.#lines.join("\n")).split("\n"), maxBytes).join("\n");
  }
}
