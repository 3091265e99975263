import { isObject } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";
import { AgentTable } from "./agent-table.ts";
import { all, type Condition, hasAll, passes } from "./conditions.ts";
import type { Order, Page } from "./page.ts";
import type { AssistantRecord, AssistantVersionRecord } from "./records.ts";
import { RowMapping } from "./row-mapping.ts";

/** Selects assistants. */
export interface AssistantFilter {
  graph_id?: string | undefined;
  /** A part of the name, case-insensitive. */
  name?: string | undefined;
  /** The name itself. */
  exactName?: string | undefined;
  /** What the metadata must contain, at any depth. */
  metadata?: Fields | undefined;
}

export type AssistantOrder = Order<"assistant_id" | "created_at" | "updated_at" | "name" | "graph_id">;

const content = {
  assistant_id: "plain",
  version: "plain",
  graph_id: "plain",
  created_at: "plain",
  name: "plain",
  description: "plain",
  metadata: isObject,
  config: isObject,
  context: isObject,
} as const;
const mapping = new RowMapping<AssistantRecord>("assistants", ["assistant_id"], { ...content, updated_at: "plain" });
const versionMapping = new RowMapping<AssistantVersionRecord>(
  "assistant_versions",
  ["assistant_id", "version"],
  content,
);

/** The assistants of an agent server and their versions, limited by access filters. */
export class AssistantTable extends AgentTable<AssistantRecord> {
  constructor(database: Database, agent: number, accessFilters: readonly Fields[] = []) {
    super(database, agent, {
      table: "assistants",
      mapping,
      access: accessFilters.map((filter) => passes("metadata", filter)),
    });
    database.describe(versionMapping.json);
  }

  get(assistantId: string): AssistantRecord | undefined {
    return this.select([isAssistant(assistantId)])[0];
  }

  /** Adds an assistant with its first version. False for an id in use, even by a hidden assistant. */
  insert(record: AssistantRecord): boolean {
    return this.database.transaction(() => {
      const added = this.database.run(
        `INSERT INTO assistants (agent, lower_name, ${mapping.columns}) VALUES (?, ?, ${mapping.parameters}) ON CONFLICT DO NOTHING`,
        this.agent,
        record.name.toLowerCase(),
        ...mapping.values(record),
      );
      if (added === 0) return false;
      this.#addVersion(record);
      return true;
    });
  }

  /** Makes a version the current one, and adds it if its number is new. */
  use(record: AssistantRecord): void {
    const { sql, values } = this.visible(isAssistant(record.assistant_id));
    this.database.transaction(() => {
      this.database.run(
        `UPDATE assistants SET (lower_name, ${mapping.columns}) = (?, ${mapping.parameters}) WHERE ${sql}`,
        record.name.toLowerCase(),
        ...mapping.values(record),
        ...values,
      );
      this.#addVersion({ ...record, created_at: record.updated_at });
    });
  }

  /** Replaces an assistant and all its versions. */
  replace(record: AssistantRecord): void {
    this.database.transaction(() => {
      this.remove(record.assistant_id);
      this.insert(record);
    });
  }

  /** Removes an assistant with its versions. */
  remove(assistantId: string): void {
    this.removeWhere(isAssistant(assistantId));
  }

  version(assistantId: string, version: number): AssistantVersionRecord | undefined {
    const [row] = this.database.rows(
      `SELECT ${versionMapping.columns} FROM assistant_versions WHERE agent = ? AND assistant_id = ? AND version = ?`,
      this.agent,
      assistantId,
      version,
    );
    return row && versionMapping.read(row);
  }

  /** The highest version number. */
  lastVersion(assistantId: string): number {
    const { last } = this.database.get<{ last: number }>(
      "SELECT max(version) AS last FROM assistant_versions WHERE agent = ? AND assistant_id = ?",
      this.agent,
      assistantId,
    ) as { last: number };
    return last;
  }

  /** The versions whose metadata contains `metadata`, newest first. */
  versions(assistantId: string, metadata: Fields | undefined, limit: number, offset: number): AssistantVersionRecord[] {
    const { sql, values } = all([
      { sql: "agent = ? AND assistant_id = ?", values: [this.agent, assistantId] },
      ...(metadata ? [hasAll("metadata", metadata)] : []),
    ]);
    return this.database
      .rows(
        `SELECT ${versionMapping.columns} FROM assistant_versions WHERE ${sql} ORDER BY version DESC LIMIT ? OFFSET ?`,
        ...values,
        limit,
        offset,
      )
      .map((row) => versionMapping.read(row));
  }

  count(filter: AssistantFilter): number {
    return this.total(conditionsOf(filter));
  }

  search(filter: AssistantFilter, order: AssistantOrder, limit: number, offset: number): Page<AssistantRecord> {
    return this.page(conditionsOf(filter), order, limit, offset);
  }

  #addVersion({ updated_at: _, ...version }: AssistantRecord): void {
    this.database.run(
      `INSERT INTO assistant_versions (agent, ${versionMapping.columns}) VALUES (?, ${versionMapping.parameters}) ON CONFLICT DO NOTHING`,
      this.agent,
      ...versionMapping.values(version),
    );
  }
}

function isAssistant(assistantId: string): Condition {
  return { sql: "assistant_id = ?", values: [assistantId] };
}

function conditionsOf({ graph_id: graphId, name, exactName, metadata }: AssistantFilter): Condition[] {
  return [
    ...(graphId === undefined ? [] : [{ sql: "graph_id = ?", values: [graphId] }]),
    ...(name === undefined ? [] : [{ sql: "instr(lower_name, ?) > 0", values: [name.toLowerCase()] }]),
    ...(exactName === undefined ? [] : [{ sql: "name = ?", values: [exactName] }]),
    ...(metadata ? [hasAll("metadata", metadata)] : []),
  ];
}
