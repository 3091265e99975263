import { hasFields, isListOf, isNumber, isObject, isText } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { type Page, pageClause, Table, type TableShape } from "../../kit/store/table.ts";
import type { RevisionRecord } from "./records.ts";

/** Which revisions of a deployment to list. What is absent lets everything through. */
export interface RevisionQuery extends Page {
  /** Milliseconds since the epoch: statuses depend on it. */
  now: number;
  statuses?: ReadonlySet<string> | undefined;
}

const isTransitions = isListOf(hasFields({ status: isText, at: isNumber }));
/** A revision has a status from its beginning. */
const isTimeline = (value: unknown) => isTransitions(value) && (value as unknown[]).length > 0;

const shape: TableShape<RevisionRecord> = {
  table: "revisions",
  order: "sequence",
  fields: {
    id: "text",
    sequence: "number",
    deploymentId: "text",
    source: "text",
    config: isObject,
    createdAt: "number",
    phases: isListOf(hasFields({ status: isText })),
    transitions: isTimeline,
    moves: "boolean",
    stick: "text",
    activeDelay: "number",
    buildLines: isListOf(isText),
    failureLines: isListOf(isText),
  },
};

/** The revisions of all deployments. */
export class Revisions extends Table<RevisionRecord> {
  constructor(database: Database) {
    super(database, shape);
  }

  /** One page of a deployment's, newest first. */
  list(deploymentId: string, { now, statuses, offset, limit }: RevisionQuery): RevisionRecord[] {
    if (!statuses) return this.page({ deploymentId }, { offset, limit });
    return this.select(
      `WHERE deployment_id = ? AND (
        SELECT value ->> 'status' FROM json_each(transitions) WHERE value ->> 'at' <= ? OR key = 0 ORDER BY key DESC LIMIT 1
      ) IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC ${pageClause}`,
      deploymentId,
      now,
      JSON.stringify([...statuses]),
      limit,
      offset,
    );
  }
}
