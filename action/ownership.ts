import { ConfigError } from "../core/client/errors.ts";
import { type Deployment, markerName } from "../core/client/wire/deployments.ts";
import { isSameRepository } from "../core/declare/deployment.ts";
import { type Claim, isMarkerHidden, markerEntries, readMarker } from "../core/reconcile/ownership.ts";
import type { Console } from "./console.ts";
import type { WorkflowEvent } from "./event.ts";
import type { Inputs } from "./inputs.ts";
import {
  isPreview,
  isSameOwner,
  labelOf,
  otherOrigin,
  ownedByAnother,
  ownershipStatusOf,
  previewMarkerOf,
} from "./origin.ts";

/**
 * The owner of a repository's main deployment, or of the preview of one pull request. Its marker has no generation: the
 * Action keeps no state, and a re-run must recognize its deployment from the event alone.
 */
export function ownerFor({ repository }: Pick<WorkflowEvent, "repository">, pullRequest?: number): string {
  return `${repository}#${pullRequest === undefined ? "deploy" : `pr-${pullRequest}`}`;
}

/**
 * Why this owner may not change or delete a deployment; `undefined` if it may. There must be a marker. Where its value
 * is hidden, the repository must match, and a preview must have the entry whose name holds its number.
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
      return `${label} can't be distinguished from other deployments: the platform hides the value of ${markerName}, and there is no entry ${missing}.`;
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
  return marker === undefined ? `${label} doesn't show which repository it belongs to.` : undefined;
}

/**
 * Why the main deployment may not be deleted; `undefined` if it may. A deletion can't be undone, so without a readable
 * marker it needs `adopt`. That never overrules evidence of another owner: a readable marker, a preview's entry,
 * another origin.
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
  return `${label} ${why} Only adopt: true deletes it anyway.`;
}

const carriesNone = `carries no ownership marker (${markerName}), so it was made by something else.`;

/**
 * The claim with which this run changes a deployment.
 * @throws {@link ConfigError} when it has another owner and `adopt` isn't set
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
