import { hash, randomBytes } from "node:crypto";
import { ConfigError } from "../client/errors.ts";
import { type Deployment, isMasked, markerName, type Secret } from "../client/wire/deployments.ts";

/** The generation at the end of a marker. */
const generationSuffix = /#g-([0-9a-f]{12})$/;

/**
 * The text of an ownership marker: the owner (`pulumi#<urn>`, `<owner>/<repository>#deploy`,
 * `<owner>/<repository>#pr-<number>`), followed by `#g-` and the generation if there is one. Markers of earlier builds
 * have none.
 */
export function markerText(owner: string, generation: string | undefined): string {
  return generation === undefined ? owner : `${owner}#g-${generation}`;
}

/** The owner in a marker. */
export function ownerOf(marker: string): string {
  return marker.replace(generationSuffix, "");
}

/**
 * The generation in a marker: new with each creation and adoption, so that it tells apart two entries of a state that
 * refer to one deployment.
 */
export function generationOf(marker: string): string | undefined {
  return generationSuffix.exec(marker)?.[1];
}

/** 12 random hexadecimal digits. */
export function newGeneration(): string {
  return randomBytes(6).toString("hex");
}

/** The ownership marker among environment entries; `undefined` if there is none, or the platform hides it. */
export function readMarker(entries: readonly Secret[] | null | undefined): string | undefined {
  const value = entries?.find((entry) => entry.name === markerName)?.value;
  return value === undefined || isMasked(value) ? undefined : value;
}

/**
 * The environment entries that hold a marker. That of a pull request's preview, or of a declarative file, has a second
 * entry, which identifies it by its name: platforms may hide values, but never names.
 */
export function markerEntries(marker: string): Secret[] {
  const owner = ownerOf(marker);
  const entry = { name: markerName, value: marker };
  const pullRequest = /^[^#]+#pr-(\d+)$/.exec(owner)?.[1];
  if (pullRequest !== undefined) return [entry, { name: `GRAPHDEPLOY_PREVIEW_PR_${pullRequest}`, value: "true" }];
  const isFile = /^[^#]+#.+:./.test(owner) && !owner.startsWith("pulumi#");
  return isFile ? [entry, { name: fileEntryName(owner), value: "true" }] : [entry];
}

/** The name of the entry that identifies a declarative file's deployment. */
export function fileEntryName(owner: string): string {
  return `GRAPHDEPLOY_FILE_${hash("sha256", owner).slice(0, 12).toUpperCase()}`;
}

/** Who manages a deployment, or is about to. */
export interface Claim {
  /** For example `pulumi#<urn>`. It may have changed since the marker was written: resources are renamed and moved. */
  owner: string;
  /** The generation that the next marker will have. */
  generation?: string | undefined;
  /** The marker that this owner last wrote; `undefined` when it wrote none because the platform hides values. */
  held?: string | undefined;
}

/**
 * How a deployment's marker relates to a claim. `unmarked`: it has no marker, or the platform hides it. `older`: the
 * marker names the same owner with another generation, so a newer entry manages the deployment. `foreign`: it has
 * another owner.
 */
export type Relation = "own" | "unmarked" | "older" | "foreign";

/** Compares the platform's marker with the one last written, not only with the current owner. */
export function relationOf({ secrets }: Pick<Deployment, "secrets">, claim: Claim): Relation {
  const { owner, generation, held } = claim;
  const found = readMarker(secrets);
  if (found === undefined) return "unmarked";
  const foundGeneration = generationOf(found);
  const isOwn =
    foundGeneration === undefined ? found === held : [generation, held && generationOf(held)].includes(foundGeneration);
  if (isOwn) return "own";
  return [owner, held && ownerOf(held)].includes(ownerOf(found)) ? "older" : "foreign";
}

/**
 * @returns the relation, where it allows a change
 * @throws {@link ConfigError} when somebody else owns the deployment
 */
export function requireOwnership(deployment: Deployment, claim: Claim): Relation {
  const relation = relationOf(deployment, claim);
  if (relation !== "foreign") return relation;
  throw new ConfigError(
    `Deployment ${deployment.name} (${deployment.id}) is owned by ${ownerOf(readMarker(deployment.secrets) ?? "")} now, so it wasn't changed.`,
    {
      path: "name",
      hint: "Nothing was changed. Remove it here without deleting it, or set `adopt` to take it back.",
    },
  );
}

/** The warning about adopting a deployment from another owner. */
export function adoptionWarning(deployment: Deployment): string {
  return `Deployment ${deployment.name} (${deployment.id}), ${ownershipClause(deployment)}, is taken over.`;
}

/** Who owns a deployment, as a relative clause. */
export function ownershipClause({ secrets }: Deployment): string {
  const marker = readMarker(secrets);
  if (marker !== undefined) return `which is owned by ${ownerOf(marker)}`;
  return isMarkerHidden({ secrets })
    ? "whose ownership marker the platform hides"
    : "which carries no ownership marker";
}

/** Whether a deployment has a marker entry, for one whose marker can't be read. */
export function isMarkerHidden({ secrets }: Pick<Deployment, "secrets">): boolean {
  return secrets?.some(({ name }) => name === markerName) === true;
}
