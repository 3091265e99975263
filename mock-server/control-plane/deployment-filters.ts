import type { Mock } from "../mock.ts";
import type { DeploymentRecord } from "../state/records.ts";
import type { PageQuery } from "../state/repositories.ts";
import type { Scope } from "./deployment-model.ts";
import { deploymentStatus, imageVersion, isGone, isRemoteReconciled } from "./deployment-state.ts";

/** What a listing of deployments can be narrowed to; an absent or null filter lets everything through. */
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

/** A test for deployments that pass all filters and aren't gone. */
export function deploymentFilter(filters: DeploymentFilters, now: number): (record: DeploymentRecord) => boolean {
  const tests: ((record: DeploymentRecord) => boolean)[] = [(record) => !isGone(record, now)];
  const whenGiven = <Value>(
    value: Value | null | undefined,
    test: (value: Value) => (record: DeploymentRecord) => boolean,
  ) => {
    if (value !== null && value !== undefined) tests.push(test(value));
  };
  whenGiven(filters.name, (name) => (record) => record.name === name);
  whenGiven(filters.name_contains, (part) => (record) => record.name.includes(part));
  whenGiven(filters.status, (value) => {
    const statuses = listed(value);
    return (record) => statuses.has(deploymentStatus(record, now));
  });
  whenGiven(filters.deployment_type, (type) => (record) => record.sourceConfig.deployment_type === type);
  whenGiven(filters.deployment_ids, (value) => {
    const ids = listed(value.toLowerCase());
    return (record) => ids.has(record.id);
  });
  whenGiven(filters.image_version, (version) => (record) => imageVersion(record) === version);
  whenGiven(filters.tag_value_ids, (value) => {
    const ids = listed(value);
    return (record) => record.tagValueIds.some((id) => ids.has(id));
  });
  whenGiven(filters.remote_reconciled, (wanted) => (record) => isRemoteReconciled(record) === wanted);
  return (record) => tests.every((test) => test(record));
}

/** One page of a workspace's deployments, newest first. Where filters name single ones, only those are looked at, however many there are. */
export async function pageOfDeployments(
  { state: { deployments } }: Mock,
  { edition, tenantId }: Scope,
  { name, deployment_ids: ids }: DeploymentFilters,
  query: PageQuery<DeploymentRecord>,
): Promise<DeploymentRecord[]> {
  let named: (DeploymentRecord | undefined)[];
  if (name !== null && name !== undefined) named = [await deployments.findByName(edition, tenantId, name)];
  else if (ids !== null && ids !== undefined) {
    named = await Promise.all([...listed(ids.toLowerCase())].map((id) => deployments.get(id)));
  } else return deployments.page(edition, tenantId, query);
  return named
    .filter((record) => record !== undefined)
    .filter((record) => record.edition === edition && record.tenantId === tenantId && query.accept(record))
    .sort((a, b) => b.sequence - a.sequence)
    .slice(query.offset, query.offset + query.limit);
}
