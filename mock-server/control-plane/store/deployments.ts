import { hasFields, isListOf, isNumber, isObject, isText } from "../../kit/store/damaged-record.ts";
import type { Database, Value } from "../../kit/store/database.ts";
import { type Page, pageClause, Table, type TableShape } from "../../kit/store/table.ts";
import { normalizeRepository } from "../deployments/commits.ts";
import { imageVersion, isDeleted } from "../deployments/deployment-state.ts";
import type { Edition } from "../tenancy.ts";
import type { DeploymentRecord, RevisionRecord } from "./records.ts";
import type { Revisions } from "./revisions.ts";

/**
 * Selects deployments of a workspace. Absent filters match everything; deployments that are deleted by `now` never
 * match.
 */
export interface DeploymentQuery extends Page {
  /** Milliseconds since the epoch; statuses depend on it. */
  now: number;
  name?: string | undefined;
  nameContains?: string | undefined;
  ids?: ReadonlySet<string> | undefined;
  /** A deployment with any of them matches; the same for tag values. */
  statuses?: ReadonlySet<string> | undefined;
  tagValueIds?: ReadonlySet<string> | undefined;
  deploymentType?: string | undefined;
  imageVersion?: string | undefined;
  isRemoteReconciled?: boolean | undefined;
  listenerId?: string | undefined;
}

const shape: TableShape<DeploymentRecord> = {
  table: "deployments",
  order: "sequence",
  fields: {
    id: "text",
    sequence: "number",
    edition: "text",
    tenantId: "text",
    name: "text",
    displayName: "text",
    source: "text",
    sourceConfig: isObject,
    revisionConfig: isObject,
    secrets: isListOf(hasFields({ name: isText })),
    secretReferences: isListOf(isObject),
    createdAt: "number",
    updatedAt: "number",
    latestRevisionId: "text",
    readyAt: "number",
    activations: isListOf(hasFields({ revisionId: isText, sequence: isNumber, at: isNumber })),
    deletion: hasFields({ requestedAt: isNumber }),
    tagValueIds: { table: "deployment_tags", owner: "deployment_id", entries: "tag_value_id" },
  },
  derived: {
    image_version: imageVersion,
    pushed_repository: (record) => pushOf(record)?.repository ?? null,
    pushed_ref: (record) => pushOf(record)?.ref ?? null,
    // Any change makes the status due, so that the next listing computes it.
    status_due_at: () => Number.NEGATIVE_INFINITY,
  },
};

/** The status of deleted deployments, by the same condition as {@link isDeleted}. Stored, so it can't be renamed. */
const deletedStatus = "GONE";

/** Updates the statuses that are due, by the rules of `deploymentStatus`. `9e999` is infinity. */
const updateStatuses = `
  UPDATE deployments SET
    status = CASE
      WHEN deletion ->> 'goneAt' <= moment.now THEN '${deletedStatus}'
      WHEN deletion ->> 'finalAt' <= moment.now THEN 'AWAITING_FINAL_DELETE'
      WHEN deletion IS NOT NULL THEN 'AWAITING_DELETE'
      WHEN ready_at <= moment.now THEN 'READY'
      ELSE 'AWAITING_DATABASE'
    END,
    status_due_at = min(
      iif(ready_at > moment.now, ready_at, 9e999),
      iif(deletion ->> 'finalAt' > moment.now, deletion ->> 'finalAt', 9e999),
      iif(deletion ->> 'goneAt' > moment.now, deletion ->> 'goneAt', 9e999)
    )
  FROM (SELECT ? AS now, ? AS due) AS moment
  WHERE status_due_at <= moment.due`;

/** The deployments of all editions and workspaces. */
export class Deployments extends Table<DeploymentRecord> {
  readonly #revisions: Revisions;
  /** The time for which the statuses in the table were computed; unknown at first. */
  #statusesAt = Number.POSITIVE_INFINITY;

  constructor(database: Database, revisions: Revisions) {
    super(database, shape);
    this.#revisions = revisions;
  }

  /** Adds a deployment with its first revision. False for a name in use in its workspace. */
  insert(record: DeploymentRecord, first: RevisionRecord, now: number): boolean {
    return this.database.transaction(() => {
      if (this.isNameInUse(record, now)) return false;
      this.put(record);
      this.#revisions.put(first);
      return true;
    });
  }

  /** Stores a changed record, unless the deployment was removed in the meantime. */
  update(record: DeploymentRecord): void {
    if (this.has(record.id)) this.put(record);
  }

  /** Whether a deployment that isn't deleted by `now` has the name in its workspace. */
  isNameInUse(
    { edition, tenantId, name }: Pick<DeploymentRecord, "edition" | "tenantId" | "name">,
    now: number,
  ): boolean {
    const holder = this.database.get(
      `SELECT 1 FROM deployments WHERE edition = ? AND tenant_id = ? AND name = ?
        AND (deletion IS NULL OR deletion ->> 'goneAt' IS NULL OR deletion ->> 'goneAt' > ?) LIMIT 1`,
      edition,
      tenantId,
      name,
      now,
    );
    return holder !== undefined;
  }

  /**
   * The deployments of all workspaces that build on pushes to the ref, oldest first. Repository and ref are in normal
   * form.
   */
  buildingFrom(repository: string, ref: string): DeploymentRecord[] {
    return this.select("WHERE pushed_repository = ? AND pushed_ref = ? ORDER BY sequence", repository, ref);
  }

  /** A page of a workspace's deployments, newest first. */
  list(edition: Edition, tenantId: string, query: DeploymentQuery): DeploymentRecord[] {
    this.#updateStatuses(query.now);
    // The plus sign disables the index: a few given ids are looked up directly.
    const plain = query.ids ? "+" : "";
    const terms = [`${plain}edition = ?`, `${plain}tenant_id = ?`, `status <> '${deletedStatus}'`];
    const values: Value[] = [edition, tenantId];
    const addTerm = (term: string, value: Value | ReadonlySet<string> | undefined) => {
      if (value === undefined) return;
      terms.push(term);
      values.push(value instanceof Set ? JSON.stringify([...value]) : (value as Value));
    };
    addTerm("name = ?", query.name);
    addTerm("instr(name, ?) > 0", query.nameContains || undefined);
    addTerm("id IN (SELECT value FROM json_each(?))", query.ids);
    addTerm("status IN (SELECT value FROM json_each(?))", query.statuses);
    addTerm("deployment_type = ?", query.deploymentType);
    addTerm("image_version = ?", query.imageVersion);
    addTerm("is_remote_reconciled = ?", query.isRemoteReconciled === undefined ? undefined : +query.isRemoteReconciled);
    addTerm("listener_id = ?", query.listenerId);
    addTerm(
      "EXISTS (SELECT 1 FROM deployment_tags WHERE deployment_id = id AND tag_value_id IN (SELECT value FROM json_each(?)))",
      query.tagValueIds,
    );
    return this.select(
      `WHERE ${terms.join(" AND ")} ORDER BY sequence DESC ${pageClause}`,
      ...values,
      query.limit,
      query.offset,
    );
  }

  /** Updates the statuses that are due; all of them after the clock was set back. */
  #updateStatuses(now: number): void {
    this.database.run(updateStatuses, now, now < this.#statusesAt ? Number.POSITIVE_INFINITY : now);
    this.#statusesAt = now;
  }
}

/** The repository and ref whose pushes build a deployment; `undefined` when it doesn't build on pushes. */
function pushOf({ sourceConfig, revisionConfig }: DeploymentRecord): { repository: string; ref: string } | undefined {
  const { build_on_push: buildsOnPush, repo_url: url } = sourceConfig;
  const { repo_ref: ref } = revisionConfig;
  if (!buildsOnPush || !url || typeof ref !== "string") return undefined;
  return { repository: normalizeRepository(url), ref };
}
