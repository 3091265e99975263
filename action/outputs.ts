import * as core from "@actions/core";
import type { Redactor } from "../core/redact.ts";
import type { Report } from "./report.ts";

/** Every output with what it is made from; one that isn't known stays empty. */
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

/** Outputs whose few values are words of our own: a secret that happens to be `true` must not change what later steps decide by. */
const ownWords: ReadonlySet<string> = new Set(["result", "created", "commit-matches"]);

/** Outputs that were redacted field by field: a secret that looks like a number would leave no valid JSON. */
const redactedBefore: ReadonlySet<string> = new Set(["deployment"]);

/** Sets the outputs as they become known, each only when it has changed. */
export class Outputs {
  readonly #written = new Map<string, string>();
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  update(report: Report): void {
    for (const [name, read] of Object.entries(outputs)) {
      const value = read(report);
      if (value === undefined || this.#written.get(name) === value) continue;
      this.#written.set(name, value);
      core.setOutput(name, ownWords.has(name) || redactedBefore.has(name) ? value : this.#redactor.text(value));
    }
  }
}
