import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";
import { formatDuration } from "../../core/time.ts";
import type { Presenter } from "./presenter.ts";
import { outcomeNotes, outcomesLine, progressText } from "./progress-text.ts";

/** A line for each event, for logs and pipes. */
export class ProgressLines implements Presenter {
  readonly #text: (text: string) => string;

  constructor(text: (text: string) => string) {
    this.#text = text;
  }

  progress(key: string, event: ProgressEvent): void {
    this.#write(`${key}: ${progressText(event)}`);
  }

  outcome(outcome: Outcome): void {
    const { key, result, durationMs } = outcome;
    const note = outcomeNotes(outcome).join("; ");
    const duration = durationMs === 0 ? "" : ` in ${formatDuration(durationMs)}`;
    this.#write(`${key}: ${result}${duration}${note === "" ? "" : `: ${note}`}`);
  }

  interrupted(): void {
    this.#write("Interrupted: nothing further is started. Interrupt again to end at once.");
  }

  end(outcomes: readonly Outcome[]): void {
    this.#write(outcomesLine(outcomes));
  }

  close(): void {}

  #write(line: string): void {
    process.stdout.write(`${this.#text(line).trimEnd()}\n`);
  }
}
