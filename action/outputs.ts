import type { Redactor } from "../core/redact.ts";
import { publicReport, type Report } from "./report.ts";
import type { Runner } from "./runner.ts";

/** Every output as a function of the report; unknown ones stay empty. */
export const outputs: Readonly<Record<string, (report: Report) => string | undefined>> = {
  result: ({ result }) => result,
  "deployment-id": ({ deploymentId }) => deploymentId,
  "revision-id": ({ revisionId }) => revisionId,
  name: ({ name }) => name,
  url: ({ url }) => url,
  "web-url": ({ webUrl }) => webUrl,
  status: ({ status }) => status,
  commit: ({ commit }) => commit,
  "commit-matches": ({ commit, expectedCommit }) =>
    commit === undefined || expectedCommit === undefined ? undefined : String(commit === expectedCommit),
  created: ({ created }) => (created === undefined ? undefined : String(created)),
  plan: ({ plan }) => plan && JSON.stringify(plan),
  deployment: ({ deployment }) => deployment && JSON.stringify(deployment),
  log: ({ log }) => log,
  "rolled-back-to": ({ rolledBackTo }) => rolledBackTo,
};

/**
 * Sets the outputs as they become known, each only when it has changed. Later steps depend on them, so what the
 * platform computed isn't redacted, even if a secret occurs in it.
 */
export class Outputs {
  readonly #written = new Map<string, string>();
  readonly #declaredSecrets: Redactor;
  readonly #runner: Runner;

  constructor(declaredSecrets: Redactor, runner: Runner) {
    this.#declaredSecrets = declaredSecrets;
    this.#runner = runner;
  }

  update(report: Report): void {
    const shown = publicReport(report, this.#declaredSecrets);
    for (const [name, read] of Object.entries(outputs)) {
      const value = read(shown);
      if (value !== undefined) this.set(name, value);
    }
  }

  /** Sets one output to a value that may be published. */
  set(name: string, value: string): void {
    if (this.#written.get(name) === value) return;
    this.#written.set(name, value);
    this.#runner.setOutput(name, value);
  }
}
