import type { DesiredDeployment } from "../core/desired.ts";
import { ConfigError } from "../core/errors.ts";
import type { Claim } from "../core/ownership.ts";
import { isMarkerName, markerEntries, markerName, ownerOf, readMarker } from "../core/ownership-marker.ts";
import { isSameRepository } from "../core/repository.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import type { Console } from "./console.ts";
import type { WorkflowEvent } from "./event.ts";
import type { Inputs } from "./inputs.ts";

/**
 * The mark of what a repository deploys for itself, and of the preview of one pull request. It has no generation, which tells the entries of a state
 * that hold one deployment apart: the Action keeps no state, and a re-run must find its deployment by what the event says alone.
 */
export function markOf({ repository }: Pick<WorkflowEvent, "repository">, pullRequest?: number): string {
  return `${repository}#${pullRequest === undefined ? "deploy" : `pr-${pullRequest}`}`;
}

/**
 * Why a deployment may not be changed or deleted as the one with this mark; `undefined` when it may. The mark must be there. Where its value
 * can't be read, the repository has to say it, and a preview is known only by the entry whose name has its number.
 */
export function whyNotOurs(deployment: Deployment, mark: string, repositoryUrl: string): string | undefined {
  const label = `Deployment ${deployment.name} (${deployment.id})`;
  const names = new Set(deployment.secrets?.map(({ name }) => name));
  if (!names.has(markerName)) return `${label} carries no mark ${markerName}, so it was made by something else.`;
  const value = readMarker(deployment.secrets);
  if (value !== undefined && ownerOf(value).toLowerCase() !== mark.toLowerCase()) {
    return `${label} is marked as managed by ${value}, not by ${mark}.`;
  }
  if (value === undefined) {
    const own = markerEntries(mark).map(({ name }) => name);
    const missing = own.find((name) => !names.has(name));
    if (missing !== undefined) {
      return `${label} can't be told from other deployments: the platform hides the value of ${markerName}, and there is no entry ${missing}.`;
    }
    const other = [...names].find((name) => isMarkerName(name) && !own.includes(name));
    if (other !== undefined) return `${label} carries the mark ${other} of a preview, so it isn't managed by ${mark}.`;
  }
  const { repo_url: url } = deployment.source_config;
  if (url !== undefined && url !== null) {
    return isSameRepository(url.toLowerCase(), repositoryUrl.toLowerCase())
      ? undefined
      : `${label} is made from ${url}, not from ${repositoryUrl || "an image"}.`;
  }
  return value === undefined ? `${label} doesn't tell which repository it belongs to.` : undefined;
}

/**
 * Why the deployment itself may not be deleted; `undefined` when it may. A deletion can't be undone, so a marker that is missing or hidden needs
 * `adopt`, which never overrules what says that the deployment is somebody else's: a marker that can be read, a preview's entry, another origin.
 */
export function whyNotDeleted(
  deployment: Deployment,
  mark: string,
  { declared, adopt }: Pick<Inputs, "declared" | "adopt">,
): string | undefined {
  const { source_config, source_revision_config, secrets } = deployment;
  if (readMarker(secrets) !== undefined) return whyNotOurs(deployment, mark, declared.sourceConfig?.repoUrl ?? "");
  const label = `Deployment ${deployment.name} (${deployment.id})`;
  const names = (secrets ?? []).map(({ name }) => name);
  const preview = names.find((name) => isMarkerName(name) && name !== markerName);
  if (preview !== undefined) return `${label} carries the mark ${preview} of a preview, so it isn't ${mark}.`;
  const image = declared.sourceRevisionConfig?.imageUri;
  const tellsOrigin = source_config.repo_url || (source_revision_config.image_uri && image !== undefined);
  const other = tellsOrigin ? otherOrigin(deployment, declared) : undefined;
  if (other !== undefined) return `${label} ${other}`;
  if (adopt) return undefined;
  const why = names.includes(markerName)
    ? `may be somebody else's: the platform hides the value of ${markerName}, which says who owns it.`
    : `carries no mark ${markerName}, so it was made by something else.`;
  return `${label} ${why} Only adopt: true deletes it all the same.`;
}

/** Whose a deployment is, seen from this repository, with a sentence about it. */
export interface Standing {
  /** `unmarked` and `hidden`: it is made from what is declared here, but has no marker that says whose it is, or none that can be read. */
  kind: "own" | "unmarked" | "hidden" | "foreign";
  message: string;
}

/** How a deployment stands to the one that this repository deploys under a mark. */
export function standingOf(deployment: Deployment, mark: string, declared: DesiredDeployment): Standing {
  const label = `Deployment ${deployment.name} (${deployment.id})`;
  const marker = readMarker(deployment.secrets);
  if (marker !== undefined) {
    const owner = ownerOf(marker);
    const isOwn = owner.toLowerCase() === mark.toLowerCase();
    return { kind: isOwn ? "own" : "foreign", message: `${label} is owned by ${owner}, not by ${mark}.` };
  }
  const names = (deployment.secrets ?? []).map(({ name }) => name);
  const preview = names.find((name) => isMarkerName(name) && name !== markerName);
  if (preview !== undefined) {
    return { kind: "foreign", message: `${label} carries the mark ${preview} of a preview, so it isn't ${mark}.` };
  }
  const other = otherOrigin(deployment, declared);
  if (other !== undefined) return { kind: "foreign", message: `${label} ${other}` };
  if (names.includes(markerName)) {
    const message = `The platform hides the value of ${markerName}, so nothing shows that ${label} is owned by ${mark}. It is made from what is declared here, so it is taken as that.`;
    return { kind: "hidden", message };
  }
  const message = `${label} carries no ownership marker. It is made from what is declared here, so it is taken as this repository's own. The next revision that is made from here marks it as ${mark}, if the platform shows the rest of its environment.`;
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
  mark: string,
  { declared, adopt }: Pick<Inputs, "declared" | "adopt">,
  console: Pick<Console, "warning" | "notice">,
): Claim {
  const { kind, message } = standingOf(deployment, mark, declared);
  if (kind === "own") return { owner: mark, held: readMarker(deployment.secrets) };
  if (kind === "foreign" && !adopt) {
    throw new ConfigError(`name: ${message}`, {
      path: "name",
      hint: "Nothing was changed. Use another name, or set adopt to true to take this deployment over.",
    });
  }
  if (kind === "hidden") console.notice(message);
  else console.warning(kind === "foreign" ? `${message} It is taken over (adopt).` : message);
  return { owner: mark };
}

/** The name of a preview, from its pattern. */
export function previewNameOf(pattern: string, name: string, pullRequest: number): string {
  return pattern.replaceAll("{name}", name).replaceAll("{number}", String(pullRequest));
}

/** The pull request whose preview would have this name; `undefined` when it is the name of none. */
export function pullRequestOf(pattern: string, name: string, deploymentName: string): number | undefined {
  for (const [digits] of deploymentName.matchAll(/\d+/g)) {
    const number = Number(digits);
    if (number > 0 && previewNameOf(pattern, name, number) === deploymentName) return number;
  }
  return undefined;
}
