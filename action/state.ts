import type { Runner } from "./runner.ts";

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
  /** Of a file, the deployments that are in progress, for a reader. */
  "in-progress",
  /** The ids of the GitHub deployments, separated by commas, until they have their final states. */
  "github-deployment",
  /** The comment's subject and pull request, as JSON. */
  "comment",
] as const;
export type StateName = (typeof names)[number];

export function saveState(runner: Runner, name: StateName, value: string): void {
  runner.saveState(name, value);
}

/** Empty if nothing was saved. */
export function readState(runner: Runner, name: StateName): string {
  return runner.getState(name);
}
