import * as core from "@actions/core";

/** What the main step leaves for the post step, which must end what a killed main step could not. No value of it is secret. */
const names = [
  /** `running` until nothing is left to be told. */
  "phase",
  "deployment-id",
  "revision-id",
  "url",
  "web-url",
  /** Once it is known. */
  "result",
  /** The id of the GitHub deployment while its end wasn't told. */
  "github-deployment",
  /** What the comment is about, as JSON. */
  "comment",
] as const;
export type StateName = (typeof names)[number];

export function saveState(name: StateName, value: string): void {
  core.saveState(name, value);
}

/** Empty where nothing was saved. */
export function readState(name: StateName): string {
  return core.getState(name);
}
