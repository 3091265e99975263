import { isObject, readJson } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";
import type { StoreContent } from "./content.ts";
import type { ControlPlaneStore } from "./control-plane-store.ts";

const collectionNames = [
  "integrations",
  "listeners",
  "uploads",
  "providers",
  "tokens",
  "authSessions",
  "connections",
  "oauthClients",
  "oauthCodes",
  "oauthGrants",
] as const satisfies (keyof StoreContent["collections"])[];

/**
 * Takes over what a data directory of format 1 kept, where every record was JSON in one table, and drops that table. Does nothing where there is none. All of it or, when a record can't be read,
 * nothing.
 */
export function takeOverFormat1(database: Database, store: ControlPlaneStore): void {
  if (!database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'records'")) return;
  const read = (kind: string) =>
    database
      .all<{ id: string; value: string }>("SELECT id, value FROM records WHERE kind = ? ORDER BY position", kind)
      .map(({ id, value }) => {
        const place = () => ({ table: "records", id: `${kind}/${id}`, column: "value" });
        return readJson(value, isObject, place);
      });
  database.transaction(() => {
    store.replace({
      sequence: 0,
      deployments: read("deployments"),
      revisions: read("revisions"),
      commits: read("commits"),
      collections: Object.fromEntries(collectionNames.map((name) => [name, read(name)])),
    } as unknown as StoreContent);
    database.run("DROP TABLE records");
  });
}
