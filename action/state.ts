import * as core from "@actions/core";

/** The state that the main step saves for the post step. No value of it is secret. */
const names = [
  /** `running` until everything is reported. */
  "phase",
  "deployment-id",
  "revision-id",
  "url",
  "web-url",
  /** Saved once it is known. */
  "result",
  /** The id of the GitHub deployment until it has its final state. */
  "github-deployment",
  /** The comment's subject and pull request, as JSON. */
  "comment",
] as const;
export type StateName = (typeof names)[number];

export function saveState(name: StateName, value: string): void {
  core.saveState(name, value);
}

/** Empty if nothing was saved. */
export function readState(name: StateName): string {
  return core.getState(name);
}
