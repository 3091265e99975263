import type { Deployment } from "../../client/wire/deployments.ts";
import { ownerOf, readMarker } from "../ownership.ts";

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

/** Whether a readable marker names the file and this very deployment. */
export function isOwnedByFile(deployment: Pick<Deployment, "name" | "secrets">, owner: string): boolean {
  const marker = readMarker(deployment.secrets);
  return marker !== undefined && ownerOf(marker) === deploymentOwner(owner, deployment.name);
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
