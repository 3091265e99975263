import { randomUUID } from "node:crypto";
import * as core from "@actions/core";
import type { Redactor } from "../core/redact.ts";

/**
 * The log of the step. Everything that goes through it is redacted. Foreign lines (of a build log) are printed while workflow commands are
 * switched off, so that no line of theirs does anything.
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

  /** Lines that somebody else wrote, in a group that stays open until something else is said. */
  printLog(group: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (this.#group !== group) {
      this.#closeGroup();
      core.startGroup(group);
      this.#group = group;
    }
    const token = randomUUID();
    const text = lines.map((line) => this.#redactor.text(line)).join("\n");
    // Without its carriage returns, or across its lines, a text may contain a secret that it didn't before.
    const shown = this.#redactor.text(text.replaceAll("\r", ""));
    process.stdout.write(`::stop-commands::${token}\n${shown}\n::${token}::\n`);
  }

  #closeGroup(): void {
    if (this.#group === undefined) return;
    core.endGroup();
    this.#group = undefined;
  }

  /**
   * A line of ours may quote others, and must not begin a workflow command with them. The runner ends lines at a lone carriage return too, skips
   * white space before `::` and finds the older `##[` anywhere in a line.
   */
  #escape(message: string): string {
    return this.#redactor
      .text(message)
      .split(/\r\n|\r|\n/)
      .map((line) => line.replace(/^([\s\u0085]*)::/, "$1\u200b::").replaceAll("##[", "##\u200b["))
      .join("\n");
  }
}
