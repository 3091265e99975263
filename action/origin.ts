import { type Deployment, isMarkerName, markerName } from "../core/client/wire/deployments.ts";
import { type DesiredDeployment, isSameRepository } from "../core/declare/deployment.ts";
import { isMarkerHidden, ownerOf, readMarker } from "../core/reconcile/ownership.ts";

/** Names of repositories on GitHub are case-insensitive. */
export function isSameOwner(marker: string, owner: string): boolean {
  return ownerOf(marker).toLowerCase() === owner.toLowerCase();
}

/** Who owns a deployment, from the view of this repository, with a sentence about it. */
export interface OwnershipStatus {
  /** `unmarked` and `hidden`: it has the declared origin, but no marker, or none that can be read. */
  kind: "own" | "unmarked" | "hidden" | "foreign";
  message: string;
}

/** Whether a deployment is the one that `owner` deploys from this repository. */
export function ownershipStatusOf(deployment: Deployment, owner: string, declared: DesiredDeployment): OwnershipStatus {
  const label = labelOf(deployment);
  const marker = readMarker(deployment.secrets);
  if (marker !== undefined) {
    const kind = isSameOwner(marker, owner) ? "own" : "foreign";
    return { kind, message: `${label} ${ownedByAnother(marker, owner)}` };
  }
  const preview = previewMarkerOf(deployment);
  if (preview !== undefined) return { kind: "foreign", message: `${label} ${isPreview(preview, owner)}` };
  const other = otherOrigin(deployment, declared);
  if (other !== undefined) return { kind: "foreign", message: `${label} ${other}` };
  if (isMarkerHidden(deployment)) {
    const message = `The platform hides the value of ${markerName}, so nothing shows that ${label} is owned by ${owner}. It is made from what is declared here, so it is treated as such.`;
    return { kind: "hidden", message };
  }
  const message = `${label} carries no ownership marker. It is made from what is declared here, so it is treated as this repository's own. The next revision that is made from here marks it as owned by ${owner}, if the platform shows the rest of its environment.`;
  return { kind: "unmarked", message };
}

/** How the origin of an unmarked deployment differs from the declared one; `undefined` if it is the same. */
export function otherOrigin({ source_config, source_revision_config }: Deployment, declared: DesiredDeployment) {
  const { repoUrl } = declared.sourceConfig ?? {};
  const { imageUri } = declared.sourceRevisionConfig ?? {};
  const { repo_url: url } = source_config;
  const { image_uri: image } = source_revision_config;
  if (url && repoUrl !== undefined) {
    if (isSameRepository(url.toLowerCase(), repoUrl.toLowerCase())) return undefined;
    return `is made from ${url}, not from ${repoUrl}.`;
  }
  if (image && imageUri !== undefined) {
    if (imageName(image) === imageName(imageUri)) return undefined;
    return `runs the image ${image}, not one of ${imageName(imageUri)}.`;
  }
  return "has no ownership marker that can be read, and nothing else shows that it belongs to this repository.";
}

/** An image without its tag and digest. */
function imageName(uri: string): string {
  return uri.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
}

/** A deployment with its id, for messages. */
export function labelOf({ name, id }: Deployment): string {
  return `Deployment ${name} (${id})`;
}

/** A clause that reads on after {@link labelOf}. */
export function ownedByAnother(marker: string, owner: string): string {
  return `is owned by ${ownerOf(marker)}, not by ${owner}.`;
}

/** The name of an entry that marks a deployment as a preview, other than those in `except`. */
export function previewMarkerOf({ secrets }: Deployment, except: readonly string[] = [markerName]): string | undefined {
  return secrets?.map(({ name }) => name).find((name) => isMarkerName(name) && !except.includes(name));
}

/** A clause that reads on after {@link labelOf}. */
export function isPreview(entry: string, owner: string): string {
  return `carries the marker ${entry} of a preview, so it isn't owned by ${owner}.`;
}
