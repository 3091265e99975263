import { isDeepStrictEqual } from "node:util";
import { isMarkerName } from "../../../core/client/wire/deployments.ts";
import type { DeploymentRecord } from "../../../mock-server/control-plane/store/records.ts";
import type { MockServer } from "../../../mock-server/server.ts";
import { storedDeployments } from "../stored.ts";

/** The deployments that the platform has, by id. */
export type Platform = ReadonlyMap<string, DeploymentRecord>;

export async function platformOf(mock: MockServer): Promise<Platform> {
  return new Map((await storedDeployments(mock)).map((record) => [record.id, record]));
}

/** The environment of a deployment without its ownership marker. */
export function environmentOf({ secrets }: DeploymentRecord): Record<string, string> {
  return Object.fromEntries(secrets.filter(({ name }) => !isMarkerName(name)).map(({ name, value }) => [name, value]));
}

/** Whether anything of a deployment changed, its revisions and its owner included. */
export function isUntouched(before: DeploymentRecord, after: DeploymentRecord): boolean {
  const { updatedAt: _before, ...then } = before;
  const { updatedAt: _after, ...now } = after;
  return isDeepStrictEqual(then, now);
}
