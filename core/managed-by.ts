import { isMasked } from "./masked-values.ts";
import type { Secret } from "./wire/source-config.ts";

/** The environment entry that marks a deployment as made by graphdeploy, and by which program or file. */
export const managedByName = "GRAPHDEPLOY_MANAGED_BY";

/** Who made a deployment, as its mark says; `undefined` without a mark or with one that is masked. */
export function managedByOf(entries: readonly Secret[] | null | undefined): string | undefined {
  const value = entries?.find((entry) => entry.name === managedByName)?.value;
  return value === undefined || isMasked(value) ? undefined : value;
}

/** Whether a name in an environment is one of the marks, which no declaration has. */
export function isMarkName(name: string): boolean {
  return name === managedByName || /^GRAPHDEPLOY_PREVIEW_PR_\d+$/.test(name);
}

/**
 * The entries that mark a deployment as managed by somebody. The preview of a pull request (`<repository>#pr-<number>`) has a second one, whose
 * name alone tells what it is: a platform may hide values, never names.
 */
export function markEntries(managedBy: string): Secret[] {
  const pullRequest = /^[^#]+#pr-(\d+)$/.exec(managedBy)?.[1];
  const mark = { name: managedByName, value: managedBy };
  return pullRequest === undefined ? [mark] : [mark, { name: `GRAPHDEPLOY_PREVIEW_PR_${pullRequest}`, value: "true" }];
}
