import type { PageRequest } from "./pages.ts";

/** Filters of `GET /v2/deployments`; lists are sent comma-separated. */
export interface DeploymentFilters {
  /** A substring of the name: for an exact name use `findByName`. */
  nameContains?: string;
  status?: string;
  deploymentType?: string;
  deploymentIds?: readonly string[];
  imageVersion?: string;
  tagValueIds?: readonly string[];
  remoteReconciled?: boolean;
}

/** Filters of `GET /v2/deployments/{id}/revisions`. */
export interface RevisionFilters {
  status?: readonly string[];
  remoteReconciled?: boolean;
}

type Query = Record<string, string | number | boolean | undefined>;

/** One page of `GET /v2/deployments` as query parameters. */
export function deploymentsQuery(filters: DeploymentFilters, { limit, offset }: PageRequest): Query {
  return {
    limit,
    offset,
    name_contains: filters.nameContains,
    status: filters.status,
    deployment_type: filters.deploymentType,
    deployment_ids: filters.deploymentIds?.join(","),
    image_version: filters.imageVersion,
    tag_value_ids: filters.tagValueIds?.join(","),
    remote_reconciled: filters.remoteReconciled,
  };
}

/** One page of `GET /v2/deployments/{id}/revisions` as query parameters. */
export function revisionsQuery(filters: RevisionFilters, { limit, offset }: PageRequest): Query {
  return { limit, offset, status: filters.status?.join(","), remote_reconciled: filters.remoteReconciled };
}
