import type { DeploymentRecord, RevisionRecord } from "../../mock-server/control-plane/store/records.ts";
import type { MockServer } from "../../mock-server/server.ts";

/** The deployments that a mock server stores in all workspaces, oldest first, with their secrets. */
export async function storedDeployments({ snapshot }: Pick<MockServer, "snapshot">): Promise<DeploymentRecord[]> {
  return (await snapshot.get()).content.deployments as unknown as DeploymentRecord[];
}

/** The revisions of all its deployments, oldest first. */
export async function storedRevisions({ snapshot }: Pick<MockServer, "snapshot">): Promise<RevisionRecord[]> {
  return (await snapshot.get()).content.revisions as unknown as RevisionRecord[];
}
