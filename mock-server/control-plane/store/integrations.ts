import { isListOf, isText } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import { Table, type TableShape } from "../../kit/store/table.ts";
import type { IntegrationRecord, ListenerRecord } from "./records.ts";

const integrationShape: TableShape<IntegrationRecord> = {
  table: "integrations",
  fields: {
    id: "text",
    kind: "text",
    tenantId: "text",
    name: "text",
    installationId: "number",
    repositories: { table: "repositories", owner: "integration_id", entries: ["id", "url", "defaultBranch"] },
    acceptsAnyRepository: "boolean",
  },
};

/** The integrations with repository hosts. */
export class Integrations extends Table<IntegrationRecord> {
  constructor(database: Database) {
    super(database, integrationShape);
  }

  /** Those that a workspace has, its own and those of every workspace, oldest first. */
  ofWorkspace(tenantId: string): IntegrationRecord[] {
    return this.select("WHERE tenant_id = ? OR tenant_id IS NULL ORDER BY position", tenantId);
  }

  /** Puts `records` in the place of all there are. */
  replace(records: readonly IntegrationRecord[]): void {
    this.database.transaction(() => {
      this.clear();
      for (const record of records) this.put(record);
    });
  }
}

export const listenerShape: TableShape<ListenerRecord> = {
  table: "listeners",
  fields: {
    id: "text",
    tenantId: "text",
    version: "text",
    computeType: "text",
    computeId: "text",
    namespaces: isListOf(isText),
    createdAt: "number",
    updatedAt: "number",
  },
};
