import { randomUUID } from "node:crypto";
import type { Redactor } from "../core/redact.ts";
import type { Runner } from "./runner.ts";

/** Lines and columns count from 1. */
interface Place {
  file?: string;
  startLine?: number;
  startColumn?: number;
}

/**
 * The log of the step. Everything printed through it is redacted. The lines of a build or deploy log are printed while
 * workflow commands are stopped, so that the runner doesn't execute them.
 */
export class Console {
  readonly #redactor: Redactor;
  readonly #runner: Runner;
  #group: string | undefined;

  constructor(redactor: Redactor, runner: Runner) {
    this.#redactor = redactor;
    this.#runner = runner;
  }

  info(message: string): void {
    this.#closeGroup();
    this.#runner.info(this.#escape(message));
  }

  debug(message: string): void {
    this.#runner.debug(this.#escape(message));
  }

  notice(message: string, title = "graphdeploy"): void {
    this.#closeGroup();
    this.#runner.notice(this.#redactor.text(message), { title });
  }

  /** @param place where in a file of the checkout it is shown */
  warning(message: string, title = "graphdeploy", place: Place = {}): void {
    this.#closeGroup();
    this.#runner.warning(this.#redactor.text(message), { title, ...place });
  }

  /** @param place where in a file of the checkout it is shown */
  error(message: string, title = "graphdeploy", place: Place = {}): void {
    this.#closeGroup();
    this.#runner.error(this.#redactor.text(message), { title, ...place });
  }

  /** Prints a message in a group, which stays open until something else is printed. */
  groupedInfo(group: string, message: string): void {
    this.#openGroup(group);
    this.#runner.info(this.#escape(message));
  }

  /** Prints lines of a log in a group, which stays open until something else is printed. */
  printLog(group: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#openGroup(group);
    const token = randomUUID();
    const text = lines.map((line) => this.#redactor.text(line)).join("\n");
    // Joining lines and removing carriage returns may produce a secret that no single line contained.
    const shown = this.#redactor.text(text.replaceAll("\r", ""));
    this.#runner.info(`::stop-commands::${token}\n${shown}\n::${token}::`);
  }

  #openGroup(group: string): void {
    if (this.#group === group) return;
    this.#closeGroup();
    this.#runner.startGroup(group);
    this.#group = group;
  }

  #closeGroup(): void {
    if (this.#group === undefined) return;
    this.#runner.endGroup();
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
