import { isMasked } from "./masked-values.ts";
import type { Secret } from "./wire/source-config.ts";

/** The environment entry that marks a deployment as made by graphdeploy, and by which program or file. */
export const managedByName = "GRAPHDEPLOY_MANAGED_BY";

/** Who made a deployment, as its mark says; `undefined` without a mark or with one that is masked. */
export function managedByOf(entries: readonly Secret[] | null | undefined): string | undefined {
  const value = entries?.find((entry) => entry.name === managedByName)?.value;
  return value === undefined || isMasked(value) ? undefined : value;
}
