import type { ControlPlane } from "./client.ts";
import { createRequest } from "./create-request.ts";
import { awaitGone, isBeingDeleted } from "./deletion.ts";
import type { DesiredDeployment } from "./desired.ts";
import { BadRequestError, ConfigError, ConflictError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { looksAfterMs, mayHaveBeenCarriedOut, mostWrites } from "./lost-answer.ts";
import { managedByOf } from "./managed-by.ts";
import { isSameRepository } from "./repository.ts";
import type { Deployment } from "./wire/deployment.ts";

export interface CreationOptions {
  /** Go on with an existing deployment of that name instead of refusing it. @default false */
  adopt?: boolean | undefined;
  /** The mark of who makes it. A deployment that already carries it was made by an earlier try of the same creation. */
  managedBy?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

export interface Creation {
  deployment: Deployment;
  /** False when the deployment was there before. */
  created: boolean;
}

/**
 * Makes sure that the deployment exists, exactly once.
 *
 * The name is looked up first, and the end of a deletion under that name is waited for. A POST whose answer was lost is never taken on trust:
 * the name is looked up again, and the deployment found is ours only if there was none before, it isn't older than the search, and it is made
 * from the same source. Names are unique in a workspace, so when none is found the POST can be begun again without making a second one.
 *
 * @throws {@link ConfigError} when the name is in use; the client's errors when nothing was created.
 */
export async function ensureExists(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: CreationOptions = {},
): Promise<Creation> {
  const { signal, onProgress, managedBy } = options;
  const before = await findLasting(client, desired.name, options);
  if (before.deployment !== undefined) return goOnWith(client, before.deployment, desired, options);

  for (let write = 1; ; write += 1) {
    try {
      const deployment = await client.createDeployment(createRequest(desired, managedBy), { signal });
      return { deployment, created: true };
    } catch (error) {
      const lost = mayHaveBeenCarriedOut(error);
      const nameInUse = error instanceof ConflictError || error instanceof BadRequestError;
      if (!lost && !nameInUse) throw error;
      if (lost) {
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
        // A 400 is about the name only if the name is in use.
        if (!lost || write >= mostWrites) throw error;
        continue;
      }
      const isOurs = write > 1 || lost ? isOurCreation(found, desired, before.serverTimeMs, managedBy) : false;
      return isOurs ? { deployment: found, created: true } : goOnWith(client, found, desired, options);
    }
  }
}

/** The deployment of that name, once no deletion of it is under way: until its end, the name is in use, and the deployment of no use. */
async function findLasting(client: ControlPlane, name: string, options: CreationOptions) {
  const found = await client.findByName(name, { signal: options.signal });
  if (found.deployment === undefined || !isBeingDeleted(found.deployment)) return found;
  await awaitEnd(client, found.deployment, options);
  const after = await client.findByName(name, { signal: options.signal });
  // A listing may lag behind the 404.
  return after.deployment?.id === found.deployment.id ? { ...after, deployment: undefined } : after;
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
  managedBy: string | undefined,
): boolean {
  const mark = managedByOf(found.secrets);
  if (managedBy !== undefined && mark !== undefined) return mark === managedBy;
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

/** How long after its creation a deployment is taken for what an earlier run of the same creation left, in milliseconds: a day. */
const resumableMs = 86_400_000;

/**
 * Whether a deployment looks as an interrupted creation of the same maker leaves it: its mark, the same source, made lately, and never changed since.
 */
async function isInterruptedCreation(
  client: ControlPlane,
  existing: Deployment,
  desired: DesiredDeployment,
  { managedBy, signal }: CreationOptions,
): Promise<boolean> {
  if (managedBy === undefined || managedByOf(existing.secrets) !== managedBy) return false;
  const ageMs = client.clock.now() - Date.parse(existing.created_at ?? "");
  if (!isSameOrigin(existing, desired) || !(ageMs < resumableMs)) return false;
  let revisions = 0;
  for await (const _ of client.listRevisions(existing.id, {}, { signal })) {
    revisions += 1;
    if (revisions > 1) return false;
  }
  return true;
}

async function goOnWith(
  client: ControlPlane,
  existing: Deployment,
  desired: DesiredDeployment,
  options: CreationOptions,
): Promise<Creation> {
  const mark = managedByOf(existing.secrets);
  if (options.adopt !== true && (await isInterruptedCreation(client, existing, desired, options))) {
    const message = `Deployment ${desired.name} (${existing.id}) carries the mark of this resource and was never changed: taken for what an interrupted run created, and gone on with.`;
    options.onProgress?.({ type: "warning", message });
    return { deployment: existing, created: false };
  }
  if (options.adopt === true) {
    if (mark !== undefined && mark !== options.managedBy) {
      options.onProgress?.({ type: "warning", message: `Deployment ${desired.name} is marked as managed by ${mark}.` });
    }
    return { deployment: existing, created: false };
  }
  const since = existing.created_at ? ` since ${existing.created_at}` : "";
  throw new ConfigError(`name: ${JSON.stringify(desired.name)} is in use by deployment ${existing.id}${since}.`, {
    path: "name",
    hint: "Choose another name, or set `adopt` to manage that deployment from here.",
  });
}
