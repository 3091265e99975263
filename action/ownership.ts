import { ConfigError } from "../core/client/errors.ts";
import { type Deployment, isMarkerName, markerName } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { isSameRepository } from "../core/declare/fields.ts";
import { type Claim, markerEntries, ownerOf, readMarker } from "../core/reconcile/ownership.ts";
import type { Console } from "./console.ts";
import type { WorkflowEvent } from "./event.ts";
import type { Inputs } from "./inputs.ts";

/**
 * The owner of what a repository deploys for itself, and of the preview of one pull request. Its marker has no generation, which tells the entries of
 * a state that hold one deployment apart: the Action keeps no state, and a re-run must find its deployment by what the event says alone.
 */
export function ownerFor({ repository }: Pick<WorkflowEvent, "repository">, pullRequest?: number): string {
  return `${repository}#${pullRequest === undefined ? "deploy" : `pr-${pullRequest}`}`;
}

/**
 * Why a deployment may not be changed or deleted as this owner's; `undefined` when it may. The marker must be there. Where its value can't be read, the
 * repository has to say it, and a preview is known only by the entry whose name has its number.
 */
export function ownershipProblem(deployment: Deployment, owner: string, repositoryUrl: string): string | undefined {
  const label = labelOf(deployment);
  const names = new Set(deployment.secrets?.map(({ name }) => name));
  if (!names.has(markerName)) return `${label} ${carriesNone}`;
  const marker = readMarker(deployment.secrets);
  if (marker !== undefined && !isSameOwner(marker, owner)) return `${label} ${ownedByAnother(marker, owner)}`;
  if (marker === undefined) {
    const own = markerEntries(owner).map(({ name }) => name);
    const missing = own.find((name) => !names.has(name));
    if (missing !== undefined) {
      return `${label} can't be told from other deployments: the platform hides the value of ${markerName}, and there is no entry ${missing}.`;
    }
    const other = previewMarkerOf(deployment, own);
    if (other !== undefined) return `${label} ${isPreview(other, owner)}`;
  }
  const { repo_url: url } = deployment.source_config;
  if (url !== undefined && url !== null) {
    return isSameRepository(url.toLowerCase(), repositoryUrl.toLowerCase())
      ? undefined
      : `${label} is made from ${url}, not from ${repositoryUrl || "an image"}.`;
  }
  return marker === undefined ? `${label} doesn't tell which repository it belongs to.` : undefined;
}

/**
 * Why the deployment itself may not be deleted; `undefined` when it may. A deletion can't be undone, so a marker that is missing or hidden needs
 * `adopt`, which never overrules what says that the deployment is somebody else's: a marker that can be read, a preview's entry, another origin.
 */
export function deletionProblem(
  deployment: Deployment,
  owner: string,
  { declared, adopt }: Pick<Inputs, "declared" | "adopt">,
): string | undefined {
  const { source_config, source_revision_config, secrets } = deployment;
  if (readMarker(secrets) !== undefined)
    return ownershipProblem(deployment, owner, declared.sourceConfig?.repoUrl ?? "");
  const label = labelOf(deployment);
  const preview = previewMarkerOf(deployment);
  if (preview !== undefined) return `${label} ${isPreview(preview, owner)}`;
  const image = declared.sourceRevisionConfig?.imageUri;
  const tellsOrigin = source_config.repo_url || (source_revision_config.image_uri && image !== undefined);
  const other = tellsOrigin ? otherOrigin(deployment, declared) : undefined;
  if (other !== undefined) return `${label} ${other}`;
  if (adopt) return undefined;
  const why = isMarkerHidden(deployment)
    ? `may be somebody else's: the platform hides the value of ${markerName}, which says who owns it.`
    : carriesNone;
  return `${label} ${why} Only adopt: true deletes it all the same.`;
}

const carriesNone = `carries no ownership marker (${markerName}), so it was made by something else.`;

function labelOf({ name, id }: Deployment): string {
  return `Deployment ${name} (${id})`;
}

/** GitHub takes the letters of a repository's name in either case. */
export function isSameOwner(marker: string, owner: string): boolean {
  return ownerOf(marker).toLowerCase() === owner.toLowerCase();
}

function ownedByAnother(marker: string, owner: string): string {
  return `is owned by ${ownerOf(marker)}, not by ${owner}.`;
}

/** The entry by whose name alone a preview is known; `except` are those of one's own. */
function previewMarkerOf({ secrets }: Deployment, except: readonly string[] = [markerName]): string | undefined {
  return secrets?.map(({ name }) => name).find((name) => isMarkerName(name) && !except.includes(name));
}

function isPreview(entry: string, owner: string): string {
  return `carries the marker ${entry} of a preview, so it isn't owned by ${owner}.`;
}

/** Of a deployment whose marker can't be read: whether it has one. */
function isMarkerHidden({ secrets }: Deployment): boolean {
  return secrets?.some(({ name }) => name === markerName) === true;
}

/** Whose a deployment is, seen from this repository, with a sentence about it. */
export interface OwnershipStatus {
  /** `unmarked` and `hidden`: it is made from what is declared here, but has no marker that says whose it is, or none that can be read. */
  kind: "own" | "unmarked" | "hidden" | "foreign";
  message: string;
}

/** How a deployment stands to the one that an owner of this repository deploys. */
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
    const message = `The platform hides the value of ${markerName}, so nothing shows that ${label} is owned by ${owner}. It is made from what is declared here, so it is taken as that.`;
    return { kind: "hidden", message };
  }
  const message = `${label} carries no ownership marker. It is made from what is declared here, so it is taken as this repository's own. The next revision that is made from here marks it as owned by ${owner}, if the platform shows the rest of its environment.`;
  return { kind: "unmarked", message };
}

/** What an unmarked deployment is made from instead of what is declared; `undefined` where that is the same. */
function otherOrigin({ source_config, source_revision_config }: Deployment, declared: DesiredDeployment) {
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
  return "has no ownership marker that can be read, and nothing else tells that it belongs to this repository.";
}

/** An image without its tag and digest. */
function imageName(uri: string): string {
  return uri.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
}

/**
 * What this run claims of a deployment that it is about to change.
 * @throws {@link ConfigError} when it is somebody else's
 */
export function claimOf(
  deployment: Deployment,
  owner: string,
  { declared, adopt }: Pick<Inputs, "declared" | "adopt">,
  console: Pick<Console, "warning" | "notice">,
): Claim {
  const { kind, message } = ownershipStatusOf(deployment, owner, declared);
  if (kind === "own") return { owner, held: readMarker(deployment.secrets) };
  if (kind === "foreign" && !adopt) {
    throw new ConfigError(`name: ${message}`, {
      path: "name",
      hint: "Nothing was changed. Use another name, or set adopt to true to take this deployment over.",
    });
  }
  if (kind === "hidden") console.notice(message);
  else console.warning(kind === "foreign" ? `${message} It is taken over (adopt).` : message);
  return { owner };
}
