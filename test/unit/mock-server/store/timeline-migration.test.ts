import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ControlPlaneStore } from "../../../../mock-server/control-plane/store/control-plane-store.ts";
import { controlPlaneSchema } from "../../../../mock-server/control-plane/store/schema.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";

test("timelines from separate tables are read after the migration", () => {
  const connection = new DatabaseSync(":memory:");
  const database = Database.over(connection);
  database.migrate([{ ...controlPlaneSchema, migrations: controlPlaneSchema.migrations.slice(0, 1) }]);
  connection.exec(`
    INSERT INTO deployments (
      id, sequence, edition, tenant_id, name, source, source_config, revision_config, secrets, created_at, updated_at, latest_revision_id,
      status_due_at
    ) VALUES ('one', 1, 'cloud', 'tenant', 'one', 'github', '{}', '{}', '[]', 0, 0, 'r2', 0),
      ('other', 2, 'cloud', 'tenant', 'other', 'github', '{}', '{}', '[]', 0, 0, 'r3', 0);
    INSERT INTO activations VALUES ('one', 1, 'r2', 2, 40.5), ('one', 0, 'r1', 1, 20);
    INSERT INTO revisions (id, sequence, deployment_id, source, config, created_at, phases, moves, failure_lines)
      VALUES ('r1', 1, 'one', 'github', '{}', 0, '[]', 1, '[]');
    INSERT INTO transitions VALUES ('r1', 1, 'DEPLOYED', 20), ('r1', 0, 'CREATING', 10);
  `);
  database.migrate([controlPlaneSchema]);
  const { deployments, revisions } = new ControlPlaneStore(database);
  expect(deployments.get("one")?.activations).toEqual([
    { revisionId: "r1", sequence: 1, at: 20 },
    { revisionId: "r2", sequence: 2, at: 40.5 },
  ]);
  expect(deployments.get("other")?.activations).toEqual([]);
  expect(revisions.get("r1")?.transitions).toEqual([
    { status: "CREATING", at: 10 },
    { status: "DEPLOYED", at: 20 },
  ]);
  const listed = (now: number, status: string) =>
    revisions.list("one", { now, statuses: new Set([status]), limit: 10, offset: 0 }).map(({ id }) => id);
  expect(listed(15, "CREATING")).toEqual(["r1"]);
  expect(listed(25, "CREATING")).toEqual([]);
  expect(listed(25, "DEPLOYED")).toEqual(["r1"]);
});
