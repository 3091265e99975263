import type { ControlPlane } from "../client/client.ts";
import { ApiError, BadRequestError, ConflictError, NameInUse } from "../client/errors.ts";
import { isOutcomeUnknown, maxWriteAttempts, recheckDelaysMs } from "../client/retry.ts";
import type { Deployment, DeploymentCreateRequest } from "../client/wire/deployments.ts";
import { meaningOf } from "../client/wire/revisions.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { definedFields, isSameRepository, isTagRef } from "../declare/deployment.ts";
import { snakeCaseKeys } from "../names.ts";
import type { StepOptions } from "../rollout/waiting.ts";
import { isBeingDeleted, waitUntilGone } from "./apply.ts";
import { environmentEntries, referenceList } from "./environment.ts";
import { findIntegration } from "./integration.ts";
import { adoptionWarning, type Claim, markerText, ownerOf, ownershipClause, readMarker } from "./ownership.ts";

export interface CreateOptions extends StepOptions {
  /** Take over an existing deployment of that name instead of throwing. @default false */
  adopt?: boolean | undefined;
  /**
   * Who creates it. A deployment with this owner's marker was made by an earlier run. @default nobody: without a marker
   */
  claim?: Claim | undefined;
  /** Throw for any existing deployment of that name, even this owner's. @default false */
  mustBeNew?: boolean | undefined;
  /**
   * `auto`: a new deployment gets the integration that reads its repository, if there is one and the declaration names
   * none. An existing one keeps its own. @default none
   */
  integration?: "auto" | undefined;
}

/**
 * Where the deployment came from. `resumed`: an interrupted create left it, and no revision of it is live. `kept`: it
 * is live and has the marker of the same owner. `adopted`: it had another owner, or none.
 */
export type Origin = "created" | "resumed" | "kept" | "adopted";

/**
 * Ensures that the deployment exists, exactly once.
 *
 * It looks the name up first, and waits for a deletion under that name to end. After a POST with an unknown outcome it
 * looks the name up again; the deployment found is ours only if there was none before, it isn't older than the search,
 * and it has the same source. Names are unique in a workspace, so while none is found the POST can be retried without
 * creating a second deployment.
 *
 * @throws {@link NameInUse}; the client's errors when nothing was created
 */
export async function ensureExists(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: CreateOptions = {},
): Promise<{ deployment: Deployment; origin: Origin }> {
  const before = await findByFreeName(client, desired.name, options);
  if (before.deployment !== undefined) return existing(client, before.deployment, options);
  const { integrationId, missingReason } = await integrationOf(client, desired, options);
  const complete = { ...desired, sourceConfig: { ...desired.sourceConfig, integrationId } };
  return create(client, complete, before.serverTimeMs, options).catch((error: unknown) => {
    if (missingReason !== undefined && error instanceof ApiError) {
      options.onProgress?.({ type: "warning", message: missingReason });
    }
    throw error;
  });
}

/** The declared integration, or the one to be found; `missingReason` says why none was. */
async function integrationOf(
  client: ControlPlane,
  { sourceConfig: { integrationId, repoUrl } = {} }: DesiredDeployment,
  { integration, signal, onProgress }: CreateOptions,
): Promise<{ integrationId: string | undefined; missingReason?: string | undefined }> {
  if (integration !== "auto" || integrationId !== undefined || repoUrl === undefined) return { integrationId };
  const onNote = (message: string) => onProgress?.({ type: "note", message });
  const { id, missingReason } = await findIntegration(client, repoUrl, { signal, onNote });
  return { integrationId: id, missingReason };
}

/** Creates a deployment whose name was free at `searchedAtMs`, the server's time. */
async function create(
  client: ControlPlane,
  desired: DesiredDeployment,
  searchedAtMs: number | undefined,
  options: CreateOptions,
): Promise<{ deployment: Deployment; origin: Origin }> {
  const { signal, onProgress, claim } = options;
  const marker = claim && markerText(claim.owner, claim.generation);
  let unknownOutcomes = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const deployment = await client.deployments.create(createRequest(desired, marker), { signal });
      if (unknownOutcomes > 0) {
        onProgress?.({ type: "note", message: `The creation of ${desired.name} succeeded on attempt ${attempt}.` });
      }
      return { deployment, origin: "created" };
    } catch (error) {
      const isUnknown = isOutcomeUnknown(error);
      const mayBeNameInUse = error instanceof ConflictError || error instanceof BadRequestError;
      if (!isUnknown && !mayBeNameInUse) throw error;
      if (isUnknown) unknownOutcomes += 1;
      if (isUnknown && unknownOutcomes === 1) {
        const message = `There was no response to the creation of ${desired.name}; checking whether it took effect.`;
        onProgress?.({ type: "warning", message });
      }
      const found = await recheck(client, desired.name, isUnknown);
      if (found !== undefined && isBeingDeleted(found)) {
        if (attempt >= maxWriteAttempts) throw error;
        await awaitFreeName(client, found, options);
        continue;
      }
      if (found === undefined) {
        if (isUnknown && attempt < maxWriteAttempts) continue;
        if (unknownOutcomes > 1) {
          const message = `The creation of ${desired.name} was sent ${unknownOutcomes} times without a response, and no deployment of that name exists.`;
          onProgress?.({ type: "warning", message });
        }
        // A 400 is about the name only if the name is in use.
        throw error;
      }
      const isOurs = (attempt > 1 || isUnknown) && isOurCreation(found, desired, searchedAtMs, marker);
      return isOurs ? { deployment: found, origin: "created" } : existing(client, found, options);
    }
  }
}

/** The body of the create request. It has no display name, which the platform accepts only in a PATCH. */
function createRequest(desired: DesiredDeployment, marker: string | undefined): DeploymentCreateRequest {
  const { sourceConfig = {}, sourceRevisionConfig = {} } = desired;
  const { resourceSpec, listenerConfig, ...plain } = sourceConfig;
  // A tag can't be built on push, which a server might otherwise default to.
  const buildOnPush = plain.buildOnPush ?? (isTagRef(sourceRevisionConfig.repoRef ?? "") ? false : undefined);
  const spec = resourceSpec ?? (desired.source === "external_docker" ? {} : undefined);
  return {
    name: desired.name,
    source: desired.source,
    source_config: definedFields({
      ...snakeCaseKeys(plain),
      build_on_push: buildOnPush,
      resource_spec: spec && snakeCaseKeys(spec),
      listener_config: listenerConfig && snakeCaseKeys(listenerConfig),
    }),
    source_revision_config: definedFields(snakeCaseKeys({ ...sourceRevisionConfig })),
    secrets: environmentEntries(desired, [], marker),
    ...(desired.secretReferences === undefined ? {} : { secret_references: referenceList(desired) }),
  };
}

/** The deployment of that name, after any deletion of it has ended: until then the name stays in use. */
async function findByFreeName(client: ControlPlane, name: string, options: CreateOptions) {
  const found = await client.deployments.findByName(name, { signal: options.signal });
  if (found.deployment === undefined || !isBeingDeleted(found.deployment)) return found;
  await awaitFreeName(client, found.deployment, options);
  return client.deployments.findByName(name, { signal: options.signal });
}

function awaitFreeName(client: ControlPlane, { id, name }: Deployment, { signal, onProgress }: CreateOptions) {
  const message = `Deployment ${name} (${id}) is being deleted; waiting until its name is free.`;
  onProgress?.({ type: "note", message });
  return waitUntilGone(client, id, { signal, onProgress });
}

/** Not abortable: it takes a few seconds, and without it the id of the created deployment would be lost. */
async function recheck(client: ControlPlane, name: string, isUnknown: boolean): Promise<Deployment | undefined> {
  for (const delay of isUnknown ? recheckDelaysMs : [0]) {
    await client.clock.sleep(delay);
    const { deployment } = await client.deployments.findByName(name);
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
  // `Date` has whole seconds, rounded down.
  return searchedAtMs !== undefined && createdAtMs >= searchedAtMs && isSameSource(found, desired);
}

/** Whether a deployment has the declared source, judged by its immutable fields and its image. */
function isSameSource(found: Deployment, { source, sourceConfig = {}, sourceRevisionConfig = {} }: DesiredDeployment) {
  const isSame = (observed: string | null | undefined, declared: string | undefined) =>
    declared === undefined || observed === undefined || observed === null || observed === declared;
  const { repo_url: repoUrl, deployment_type: deploymentType } = found.source_config;
  return (
    found.source === source &&
    (sourceConfig.repoUrl === undefined || isSameRepository(repoUrl ?? "", sourceConfig.repoUrl)) &&
    isSame(found.source_revision_config.image_uri, sourceRevisionConfig.imageUri) &&
    isSame(deploymentType, sourceConfig.deploymentType)
  );
}

/** Decides whether an existing deployment of the name is kept, resumed, adopted or refused. */
async function existing(client: ControlPlane, deployment: Deployment, options: CreateOptions) {
  const { adopt, claim, mustBeNew, signal, onProgress } = options;
  const marker = readMarker(deployment.secrets);
  const isOwn = claim !== undefined && marker !== undefined && ownerOf(marker) === claim.owner;
  if (isOwn && mustBeNew !== true) {
    if (await isServing(client, deployment, signal)) return { deployment, origin: "kept" } as const;
    const message = `Deployment ${deployment.name} (${deployment.id}) carries the marker of this owner and isn't live yet; resuming an interrupted creation.`;
    onProgress?.({ type: "warning", message });
    return { deployment, origin: "resumed" } as const;
  }
  if (adopt === true && mustBeNew !== true) {
    if (marker !== undefined) onProgress?.({ type: "warning", message: adoptionWarning(deployment) });
    return { deployment, origin: "adopted" } as const;
  }
  const since = deployment.created_at ? ` since ${deployment.created_at}` : "";
  throw new NameInUse(
    `name: ${JSON.stringify(deployment.name)} is in use by deployment ${deployment.id}${since}, ${ownershipClause(deployment)}.`,
    { deploymentId: deployment.id, marker, hint: "Choose another name, or set `adopt` to take that deployment over." },
  );
}

/** Whether a revision of the deployment serves. An older server doesn't report it; then its latest revision decides. */
async function isServing(client: ControlPlane, deployment: Deployment, signal: AbortSignal | undefined) {
  const { active_revision_id: active, latest_revision_id: latest } = deployment;
  if (active !== undefined && active !== null) return true;
  if (active === null || latest === undefined || latest === null) return false;
  return meaningOf((await client.revisions.get(deployment.id, latest, { signal })).status) === "deployed";
}
