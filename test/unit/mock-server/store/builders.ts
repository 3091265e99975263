import { ControlPlaneStore } from "../../../../mock-server/control-plane/store/control-plane-store.ts";
import type { DeploymentRecord, RevisionRecord } from "../../../../mock-server/control-plane/store/records.ts";
import { controlPlaneSchema } from "../../../../mock-server/control-plane/store/schema.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";

/** An empty store, closed at the end of the test. */
export async function storeInMemory(): Promise<ControlPlaneStore> {
  return new ControlPlaneStore(await Database.inMemory([controlPlaneSchema]));
}

/** A deployment with default values, except for the given ones. */
export function deploymentOf(given: Partial<DeploymentRecord> & { id: string }): DeploymentRecord {
  return {
    sequence: 1,
    edition: "cloud",
    tenantId: "one",
    name: `name of ${given.id}`,
    displayName: null,
    source: "github",
    sourceConfig: {},
    revisionConfig: {},
    secrets: [],
    secretReferences: null,
    createdAt: 0,
    updatedAt: 0,
    latestRevisionId: `first of ${given.id}`,
    readyAt: null,
    activations: [],
    deletion: null,
    tagValueIds: [],
    ...given,
  };
}

/** A revision with default values, except for the given ones. */
export function revisionOf(given: Partial<RevisionRecord> & { id: string; deploymentId: string }): RevisionRecord {
  return {
    sequence: 1,
    source: "github",
    config: {},
    createdAt: 0,
    phases: [],
    transitions: [{ status: "CREATING", at: 0 }],
    moves: true,
    stick: null,
    activeDelay: null,
    buildLines: null,
    failureLines: [],
    ...given,
  };
}

export function firstRevisionOf({ id, sequence, latestRevisionId }: DeploymentRecord): RevisionRecord {
  return revisionOf({ id: latestRevisionId, deploymentId: id, sequence });
}
