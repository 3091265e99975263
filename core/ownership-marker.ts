import { randomBytes } from "node:crypto";
import { isMasked } from "./masked-values.ts";
import type { Secret } from "./wire/source-config.ts";

/** The environment entry that holds a deployment's ownership marker. */
export const markerName = "GRAPHDEPLOY_MANAGED_BY";

/** Behind the owner: the generation. */
const generationSuffix = /#g-([0-9a-f]{12})$/;

/**
 * An ownership marker as text: the owner (`pulumi#<urn>`, `<owner>/<repository>#deploy`, `<owner>/<repository>#pr-<number>`), and behind it, where
 * there is one, `#g-` and the generation. Markers of earlier builds have none.
 */
export function markerText(owner: string, generation: string | undefined): string {
  return generation === undefined ? owner : `${owner}#g-${generation}`;
}

/** Who owns what carries this marker. */
export function ownerOf(marker: string): string {
  return marker.replace(generationSuffix, "");
}

/** The generation in a marker: new with each creation and each take-over, so that two entries of a state that hold one deployment differ. */
export function generationOf(marker: string): string | undefined {
  return generationSuffix.exec(marker)?.[1];
}

/** 12 random hexadecimal digits. */
export function newGeneration(): string {
  return randomBytes(6).toString("hex");
}

/** The ownership marker among environment entries; `undefined` without one or with one that the platform hides. */
export function readMarker(entries: readonly Secret[] | null | undefined): string | undefined {
  const value = entries?.find((entry) => entry.name === markerName)?.value;
  return value === undefined || isMasked(value) ? undefined : value;
}

/** Whether a name in an environment belongs to an ownership marker; no declaration has such a name. */
export function isMarkerName(name: string): boolean {
  return name === markerName || /^GRAPHDEPLOY_PREVIEW_PR_\d+$/.test(name);
}

/**
 * The environment entries that carry a marker. The preview of a pull request has a second one, whose name alone tells what it is: a platform may
 * hide values, never names.
 */
export function markerEntries(marker: string): Secret[] {
  const pullRequest = /^[^#]+#pr-(\d+)$/.exec(ownerOf(marker))?.[1];
  const entry = { name: markerName, value: marker };
  return pullRequest === undefined
    ? [entry]
    : [entry, { name: `GRAPHDEPLOY_PREVIEW_PR_${pullRequest}`, value: "true" }];
}
