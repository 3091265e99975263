import type { ControlPlane } from "./client.ts";
import { createRequest } from "./create-request.ts";
import { awaitGone, isBeingDeleted } from "./deletion.ts";
import type { DesiredDeployment } from "./desired.ts";
import { BadRequestError, ConflictError, NameInUse } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { looksAfterMs, mayHaveBeenCarriedOut, mostWrites } from "./lost-answer.ts";
import type { Claim } from "./ownership.ts";
import { markerName, markerText, ownerOf, readMarker } from "./ownership-marker.ts";
import { isSameRepository } from "./repository.ts";
import { meaningOf } from "./revision-status.ts";
import type { Deployment } from "./wire/deployment.ts";

export interface CreationOptions {
  /** Take over an existing deployment of that name instead of refusing it. @default false */
  adopt?: boolean | undefined;
  /** Who creates it. A deployment that carries this owner's marker came from an earlier run. */
  claim?: Claim | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Where the deployment came from. `resumed`: an interrupted creation left it, and nothing of it is live yet. `kept`: it is live and carries the
 * marker of the same owner. `adopted`: it was somebody else's, or nobody's.
 */
export type Origin = "created" | "resumed" | "kept" | "adopted";

export interface Creation {
  deployment: Deployment;
  origin: Origin;
}

/**
 * Makes sure that the deployment exists, exactly once.
 *
 * The name is looked up first, and the end of a deletion under that name is waited for. A POST whose answer was lost is never taken on trust:
 * the name is looked up again, and the deployment found is ours only if there was none before, it isn't older than the search, and it is made
 * from the same source. Names are unique in a workspace, so when none is found the POST can be begun again without making a second one.
 *
 * @throws {@link NameInUse}; the client's errors when nothing was created.
 */
export async function ensureExists(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: CreationOptions = {},
): Promise<Creation> {
  const { signal, onProgress, claim } = options;
  const marker = claim && markerText(claim.owner, claim.generation);
  const before = await findLasting(client, desired.name, options);
  if (before.deployment !== undefined) return existing(client, before.deployment, options);

  let lostWrites = 0;
  for (let write = 1; ; write += 1) {
    try {
      const deployment = await client.createDeployment(createRequest(desired, marker), { signal });
      if (lostWrites > 0) {
        onProgress?.({ type: "note", message: `The creation of ${desired.name} was answered at attempt ${write}.` });
      }
      return { deployment, origin: "created" };
    } catch (error) {
      const lost = mayHaveBeenCarriedOut(error);
      const nameInUse = error instanceof ConflictError || error instanceof BadRequestError;
      if (!lost && !nameInUse) throw error;
      if (lost) lostWrites += 1;
      if (lost && lostWrites === 1) {
        const message = `The answer to the creation of ${desired.name} was lost; looking whether it was carried out.`;
        onProgress?.({ type: "warning", message });
      }
      const found = await lookAgain(client, desired.name, lost);
      if (found !== undefined && isBeingDeleted(found)) {
        if (write >= mostWrites) throw error;
        await awaitEnd(client, found, options);
        continue;
      }
      if (found === undefined) {
        if (lost && write < mostWrites) continue;
        if (lostWrites > 1) {
          const message = `The creation of ${desired.name} was sent ${lostWrites} times without an answer, and no deployment of that name is there.`;
          onProgress?.({ type: "warning", message });
        }
        // A 400 is about the name only if the name is in use.
        throw error;
      }
      const isOurs = write > 1 || lost ? isOurCreation(found, desired, before.serverTimeMs, marker) : false;
      return isOurs ? { deployment: found, origin: "created" } : existing(client, found, options);
    }
  }
}

/** The deployment of that name, once no deletion of it is under way: until its end, the name is in use, and the deployment of no use. */
async function findLasting(client: ControlPlane, name: string, options: CreationOptions) {
  const found = await client.findByName(name, { signal: options.signal });
  if (found.deployment === undefined || !isBeingDeleted(found.deployment)) return found;
  await awaitEnd(client, found.deployment, options);
  return client.findByName(name, { signal: options.signal });
}

function awaitEnd(client: ControlPlane, { id, name }: Deployment, { signal, onProgress }: CreationOptions) {
  onProgress?.({
    type: "note",
    message: `Deployment ${name} (${id}) is being deleted; waiting until its name is free.`,
  });
  return awaitGone(client, id, { signal, onProgress });
}

/** No abort ends these looks, which take seconds: without them the id of what was created would be lost. */
async function lookAgain(client: ControlPlane, name: string, lost: boolean) {
  for (const pause of lost ? looksAfterMs : [0]) {
    await client.clock.sleep(pause);
    const { deployment } = await client.findByName(name);
    if (deployment !== undefined) return deployment;
  }
  return undefined;
}

function isOurCreation(
  found: Deployment,
  desired: DesiredDeployment,
  searchedAtMs: number | undefined,
  marker: string | undefined,
): boolean {
  const foundMarker = readMarker(found.secrets);
  if (marker !== undefined && foundMarker !== undefined) return foundMarker === marker;
  const createdAtMs = Date.parse(found.created_at ?? "");
  // `Date` has whole seconds, cut off.
  return searchedAtMs !== undefined && createdAtMs >= searchedAtMs && isSameOrigin(found, desired);
}

/** Whether a deployment is made from the declared source: what can't change later. */
function isSameOrigin(found: Deployment, { source, sourceConfig = {}, sourceRevisionConfig = {} }: DesiredDeployment) {
  const same = (observed: string | null | undefined, declared: string | undefined) =>
    declared === undefined || observed === undefined || observed === null || observed === declared;
  const { repo_url: repoUrl, deployment_type: deploymentType } = found.source_config;
  return (
    found.source === source &&
    (sourceConfig.repoUrl === undefined || isSameRepository(repoUrl ?? "", sourceConfig.repoUrl)) &&
    same(found.source_revision_config.image_uri, sourceRevisionConfig.imageUri) &&
    same(deploymentType, sourceConfig.deploymentType)
  );
}

/** What an existing deployment of the name is to this creation. */
async function existing(client: ControlPlane, deployment: Deployment, options: CreationOptions): Promise<Creation> {
  const { adopt, claim, signal, onProgress } = options;
  const marker = readMarker(deployment.secrets);
  const label = `Deployment ${deployment.name} (${deployment.id})`;
  if (claim !== undefined && marker !== undefined && ownerOf(marker) === claim.owner) {
    if (await isServing(client, deployment, signal)) return { deployment, origin: "kept" };
    const message = `${label} carries the marker of this owner and isn't live yet; resuming an interrupted creation.`;
    onProgress?.({ type: "warning", message });
    return { deployment, origin: "resumed" };
  }
  if (adopt === true) {
    if (marker !== undefined) onProgress?.({ type: "warning", message: takeOver(deployment) });
    return { deployment, origin: "adopted" };
  }
  const since = deployment.created_at ? ` since ${deployment.created_at}` : "";
  throw new NameInUse(
    `name: ${JSON.stringify(deployment.name)} is in use by deployment ${deployment.id}${since}, ${ownedBy(deployment)}.`,
    { deploymentId: deployment.id, marker, hint: "Choose another name, or set `adopt` to take that deployment over." },
  );
}

/** What an owner is told who takes a deployment from another. */
export function takeOver(deployment: Deployment): string {
  return `Deployment ${deployment.name} (${deployment.id}), ${ownedBy(deployment)}, is taken over.`;
}

/** Whose a deployment is, as the end of a sentence. */
export function ownedBy({ secrets }: Deployment): string {
  const marker = readMarker(secrets);
  if (marker !== undefined) return `which is owned by ${ownerOf(marker)}`;
  const isHidden = secrets?.some(({ name }) => name === markerName) === true;
  return isHidden ? "whose ownership marker the platform hides" : "which carries no ownership marker";
}

/** Whether any revision of the deployment serves. An older server doesn't say so itself; then its latest revision tells. */
async function isServing(client: ControlPlane, deployment: Deployment, signal: AbortSignal | undefined) {
  const { active_revision_id: active, latest_revision_id: latest } = deployment;
  if (active !== undefined && active !== null) return true;
  if (active === null || latest === undefined || latest === null) return false;
  return meaningOf((await client.getRevision(deployment.id, latest, { signal })).status) === "deployed";
}
