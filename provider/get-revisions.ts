import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../core/client/client.ts";
import type { Revision, RevisionStatus } from "../core/client/wire/revisions.ts";
import { existing } from "./lookup.ts";
import { type LookupOptions, lookUpNow, lookUpOutput, requireText } from "./program-lookup.ts";

export interface GetRevisionsArgs {
  deploymentId: string;
  /** Only those with this status, for example `DEPLOYED`. @default any */
  status?: RevisionStatus | undefined;
  /** At most this many. @default 100 */
  limit?: number | undefined;
}

/** {@link GetRevisionsArgs} that may be outputs of other resources. */
export interface GetRevisionsOutputArgs {
  deploymentId: pulumi.Input<string>;
  status?: pulumi.Input<RevisionStatus | undefined>;
  limit?: pulumi.Input<number | undefined>;
}

/** One build and deploy of a deployment's source. */
export interface RevisionResult {
  id: string;
  status: RevisionStatus;
  /** The branch or tag that it was built from. */
  repoRef: string | undefined;
  /** The commit that it was built from. */
  commit: string | undefined;
  image: string | undefined;
  createdAt: string;
  updatedAt: string;
}

export interface GetRevisionsResult {
  /** Latest first. */
  revisions: RevisionResult[];
}

/**
 * Lists the revisions of a deployment.
 * @throws Error when there is no such deployment, or when the settings are incomplete or not known yet; the client's
 * errors
 */
export async function getRevisions(args: GetRevisionsArgs, options: LookupOptions = {}): Promise<GetRevisionsResult> {
  return lookUpNow("getRevisions", listRevisions, args, options);
}

/** {@link getRevisions} for arguments that are outputs of other resources. */
export function getRevisionsOutput(
  args: GetRevisionsOutputArgs,
  options: LookupOptions = {},
): pulumi.Output<GetRevisionsResult> {
  return lookUpOutput(listRevisions, { ...args }, options);
}

async function listRevisions(
  { deploymentId, status, limit = 100 }: GetRevisionsArgs,
  connectNow: () => ControlPlane,
): Promise<GetRevisionsResult> {
  requireText("getRevisions", "deploymentId", deploymentId);
  if (status !== undefined) requireText("getRevisions", "status", status);
  if (!Number.isInteger(limit) || limit < 1) throw new Error("getRevisions: the limit must be a whole number from 1.");
  const client = connectNow();
  const listing = client.revisions.list(deploymentId, status === undefined ? {} : { status: [status] });
  return { revisions: await existing(client, "deployment", deploymentId, firstOf(listing, limit)) };
}

async function firstOf(listing: AsyncIterable<Revision>, limit: number): Promise<RevisionResult[]> {
  const revisions: RevisionResult[] = [];
  for await (const revision of listing) {
    revisions.push(resultOf(revision));
    if (revisions.length === limit) break;
  }
  return revisions;
}

function resultOf({ id, status, source_revision_config: config, created_at, updated_at }: Revision): RevisionResult {
  return {
    id,
    status,
    repoRef: config.repo_ref ?? undefined,
    commit: config.repo_commit_sha ?? undefined,
    image: config.image_uri ?? undefined,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
