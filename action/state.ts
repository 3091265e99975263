import * as core from "@actions/core";

/** What the main step leaves for the post step, which must end what a killed main step could not. No value of it is secret. */
const names = ["phase", "deployment-id", "revision-id", "web-url", "github-deployment"] as const;
export type StateName = (typeof names)[number];

export function saveState(name: StateName, value: string): void {
  core.saveState(name, value);
}

/** Empty where nothing was saved. */
export function readState(name: StateName): string {
  return core.getState(name);
}
