import { randomUUID } from "node:crypto";
import * as core from "@actions/core";
import type { Redactor } from "../core/redact.ts";

/**
 * The log of the step. Everything printed through it is redacted. The lines of a build or deploy log are printed while
 * workflow commands are stopped, so that the runner doesn't execute them.
 */
export class Console {
  readonly #redactor: Redactor;
  #group: string | undefined;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  info(message: string): void {
    this.#closeGroup();
    core.info(this.#escape(message));
  }

  debug(message: string): void {
    core.debug(this.#escape(message));
  }

  notice(message: string, title = "graphdeploy"): void {
    this.#closeGroup();
    core.notice(this.#redactor.text(message), { title });
  }

  warning(message: string, title = "graphdeploy"): void {
    this.#closeGroup();
    core.warning(this.#redactor.text(message), { title });
  }

  error(message: string, title = "graphdeploy"): void {
    this.#closeGroup();
    core.error(this.#redactor.text(message), { title });
  }

  /** Prints lines of a log in a group, which stays open until something else is printed. */
  printLog(group: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (this.#group !== group) {
      this.#closeGroup();
      core.startGroup(group);
      this.#group = group;
    }
    const token = randomUUID();
    const text = lines.map((line) => this.#redactor.text(line)).join("\n");
    // Joining lines and removing carriage returns may produce a secret that no single line contained.
    const shown = this.#redactor.text(text.replaceAll("\r", ""));
    process.stdout.write(`::stop-commands::${token}\n${shown}\n::${token}::\n`);
  }

  #closeGroup(): void {
    if (this.#group === undefined) return;
    core.endGroup();
    this.#group = undefined;
  }

  /**
   * Prevents text that a message quotes from starting a workflow command. The runner also ends lines at a lone carriage
   * return, skips white space before `::` and finds the older `##[` anywhere in a line.
   */
  #escape(message: string): string {
    return this.#redactor
      .text(message)
      .split(/\r\n|\r|\n/)
      .map((line) => line.replace(/^([\s\u0085]*)::/, "$1\u200b::").replaceAll("##[", "##\u200b["))
      .join("\n");
  }
}
