import type { ControlPlane } from "../../client/client.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { Revision } from "../../client/wire/revisions.ts";
import type { DeclaredDeployment } from "../../declare/file/declarative-file.ts";
import type { StepOptions } from "../../rollout/waiting.ts";
import { isBeingDeleted } from "../apply.ts";
import { ownerOf, readMarker } from "../ownership.ts";
import { isLive } from "../update.ts";
import { observeLatestRevisions, observeWorkspace } from "./observe.ts";
import { isOwnedByFile } from "./owner.ts";

/** What the platform has of one deployment of a file. */
export interface DeploymentState {
  /** The key in the file; the name for what it no longer declares. */
  key: string;
  name: string;
  isDeclared: boolean;
  /** `MISSING`, `DELETING`, or the status of the latest revision; `UNKNOWN` where the platform finds none. */
  status: string;
  /** Whether the latest revision serves. */
  isLive: boolean;
  /** Whether the marker names this file. */
  isOwned: boolean;
  /** The owner in the marker, if it can be read. */
  owner?: string | undefined;
  deployment?: Deployment | undefined;
}

/**
 * The state of what a file declares, in its order, followed by what it owns and no longer declares. It only reads.
 * @throws the client's errors
 */
export async function fileState(
  client: ControlPlane,
  declared: readonly DeclaredDeployment[],
  options: StepOptions & { owner: string },
): Promise<DeploymentState[]> {
  const workspace = await observeWorkspace(client, options);
  const names = new Set(declared.map(({ desired }) => desired.name));
  const undeclared = [...workspace.values()].filter(
    (deployment) => !names.has(deployment.name) && isOwnedByFile(deployment, options.owner),
  );
  const found = declared.flatMap(({ desired }) => workspace.get(desired.name) ?? []);
  const revisions = await observeLatestRevisions(client, [...found, ...undeclared], options);
  return [
    ...declared.map(({ key, desired: { name } }): DeploymentState => {
      const deployment = workspace.get(name);
      if (deployment !== undefined) return stateOf(key, true, deployment, revisions.get(deployment.id), options.owner);
      return { key, name, isDeclared: true, status: "MISSING", isLive: false, isOwned: false };
    }),
    ...undeclared.map((one) => stateOf(one.name, false, one, revisions.get(one.id), options.owner)),
  ];
}

function stateOf(
  key: string,
  isDeclared: boolean,
  deployment: Deployment,
  latest: Revision | undefined,
  owner: string,
): DeploymentState {
  const marker = readMarker(deployment.secrets);
  return {
    key,
    name: deployment.name,
    isDeclared,
    status: isBeingDeleted(deployment) ? "DELETING" : (latest?.status ?? "UNKNOWN"),
    isLive: isLive(deployment, latest),
    isOwned: isOwnedByFile(deployment, owner),
    owner: marker === undefined ? undefined : ownerOf(marker),
    deployment,
  };
}
