import { isMarkerName, markerEntries, markerName, ownerOf, readMarker } from "../core/ownership-marker.ts";
import { isSameRepository } from "../core/repository.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import type { WorkflowEvent } from "./event.ts";

/** The mark of what a repository deploys for itself, and of the preview of one pull request. */
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
      : `${label} is made from ${url}, not from ${repositoryUrl}.`;
  }
  return value === undefined ? `${label} doesn't tell which repository it belongs to.` : undefined;
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
