import { snakeCaseKeys } from "../../core/names.ts";
import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { Redactor } from "../../core/redact.ts";
import type { ProgressEvent } from "../../core/rollout/waiting.ts";
import type { Presenter } from "./presenter.ts";
import { jsonText, outcomeReport } from "./reports.ts";

/** One JSON document a line, each with an `event`. All of them are documented in `docs/guides/cli.md`. */
export class JsonEvents implements Presenter {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  write(event: string, fields: object): void {
    process.stdout.write(`${jsonText({ event, ...fields }, this.#redactor)}\n`);
  }

  progress(key: string, { type, ...fields }: ProgressEvent): void {
    this.write(type, { key, ...snakeCaseKeys(fields) });
  }

  outcome(outcome: Outcome): void {
    this.write("outcome", outcomeReport(outcome));
  }

  interrupted(): void {
    this.write("interrupted", {});
  }

  end(_: readonly Outcome[], exitCode: number): void {
    this.write("end", { exit_code: exitCode });
  }

  close(): void {}
}
