import type { Deployment } from "../../client/wire/deployments.ts";
import { fileEntryName, isMarkerHidden, ownerOf, readMarker } from "../ownership.ts";

/** Which declarative file it is, wherever it is checked out. */
export interface FileIdentity {
  /** For example `acme/agents`; case doesn't matter. */
  repository: string;
  /** From the root of the repository, with `/` between folders. */
  path: string;
  /** The chosen overlay. Each owns its own deployments, so that a prune of one leaves the others alone. */
  environment?: string | undefined;
  /** Its previews of this pull request, whatever the overlay. */
  pullRequest?: number | undefined;
}

/**
 * The owner of what a file declares: `<repository>#<path>`, followed by `@<environment>` where one is chosen, or by
 * `@pr-<number>` for previews.
 */
export function fileOwner({ repository, path, environment, pullRequest }: FileIdentity): string {
  const part = pullRequest === undefined ? environment : `pr-${pullRequest}`;
  return `${repository.toLowerCase()}#${path}${part === undefined ? "" : `@${part}`}`;
}

/**
 * The owner in the marker of one deployment of a file. It ends with the deployment's name: a marker that was copied to
 * another deployment, with the rest of an environment, makes nobody the owner of the copy.
 */
export function deploymentOwner(owner: string, name: string): string {
  return `${owner}:${name}`;
}

/**
 * Whether the marker names the file and this very deployment. Where the platform hides its value, the entry beside it
 * tells, which identifies the owner by its name.
 */
export function isOwnedByFile({ name, secrets }: Pick<Deployment, "name" | "secrets">, owner: string): boolean {
  const expected = deploymentOwner(owner, name);
  const marker = readMarker(secrets);
  if (marker !== undefined) return ownerOf(marker) === expected;
  return isMarkerHidden({ secrets }) && secrets?.some((entry) => entry.name === fileEntryName(expected)) === true;
}

/** The pull request whose preview a deployment is, of this file; `undefined` where no readable marker says so. */
export function pullRequestOf(
  deployment: Pick<Deployment, "name" | "secrets">,
  file: Pick<FileIdentity, "repository" | "path">,
): number | undefined {
  const owner = ownerOf(readMarker(deployment.secrets) ?? "");
  const digits = /@pr-([1-9]\d{0,14}):/.exec(owner.slice(fileOwner(file).length))?.[1];
  const pullRequest = digits === undefined ? undefined : Number(digits);
  const isOwn = pullRequest !== undefined && isOwnedByFile(deployment, fileOwner({ ...file, pullRequest }));
  return isOwn ? pullRequest : undefined;
}
