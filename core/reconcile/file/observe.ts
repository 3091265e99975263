import type { ControlPlane } from "../../client/client.ts";
import type { Deployment } from "../../client/wire/deployments.ts";
import type { Revision } from "../../client/wire/revisions.ts";
import type { StepOptions } from "../../rollout/waiting.ts";
import { Slots } from "./schedule.ts";

/** Requests of one plan that may be in progress at once. */
const maxReads = 8;

/**
 * All deployments of the workspace, by name. One listing serves a whole file, and shows what the file still owns but no
 * longer declares. Where a listing leaves out environments, which hold the ownership markers, each deployment is read.
 */
export async function observeWorkspace(
  client: ControlPlane,
  { signal }: StepOptions,
): Promise<ReadonlyMap<string, Deployment>> {
  const listed = await client.deployments.list({}, { signal }).all();
  const slots = new Slots(maxReads);
  const whole = await Promise.all(
    listed.map(async (deployment) => {
      if (deployment.secrets !== undefined && deployment.secrets !== null) return deployment;
      return slots.run(() => client.deployments.find(deployment.id, { signal }));
    }),
  );
  return new Map(whole.filter((deployment) => deployment !== undefined).map((found) => [found.name, found]));
}

/** The latest revisions of those deployments, by deployment id. The platform may not find one. */
export async function observeLatestRevisions(
  client: ControlPlane,
  deployments: readonly Deployment[],
  { signal }: StepOptions,
): Promise<ReadonlyMap<string, Revision>> {
  const slots = new Slots(maxReads);
  const found = await Promise.all(
    deployments.map(({ id, latest_revision_id: latest }) =>
      typeof latest === "string" ? slots.run(() => client.revisions.find(id, latest, { signal })) : undefined,
    ),
  );
  return new Map(
    deployments.flatMap(({ id }, index) => {
      const revision = found[index];
      return revision === undefined ? [] : [[id, revision] as const];
    }),
  );
}
