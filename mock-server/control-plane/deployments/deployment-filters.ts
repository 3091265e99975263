import type { Page } from "../../kit/store/table.ts";
import type { DeploymentQuery } from "../store/deployments.ts";

/** Filters of a listing of deployments; absent and null ones match everything. */
export interface DeploymentFilters {
  name?: string | null;
  name_contains?: string | null;
  status?: string | null;
  deployment_type?: string | null;
  deployment_ids?: string | null;
  image_version?: string | null;
  tag_value_ids?: string | null;
  remote_reconciled?: boolean | null;
}

/** The entries of a comma-separated list. */
export function listed(value: string): Set<string> {
  return new Set(
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  );
}

/** The query for a listing. `now` is in milliseconds since the epoch. */
export function deploymentQuery(filters: DeploymentFilters, now: number, { offset, limit }: Page): DeploymentQuery {
  const listedIn = (value: string | null | undefined) => (typeof value === "string" ? listed(value) : undefined);
  return {
    now,
    offset,
    limit,
    name: filters.name ?? undefined,
    nameContains: filters.name_contains ?? undefined,
    ids: listedIn(filters.deployment_ids?.toLowerCase()),
    statuses: listedIn(filters.status),
    tagValueIds: listedIn(filters.tag_value_ids),
    deploymentType: filters.deployment_type ?? undefined,
    imageVersion: filters.image_version ?? undefined,
    isRemoteReconciled: filters.remote_reconciled ?? undefined,
  };
}
