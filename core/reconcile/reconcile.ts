import type { ControlPlane } from "../client/client.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import type { Revision } from "../client/wire/revisions.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { unprotectedWarning } from "../redact.ts";
import { followRollout, type RolloutOptions, type RolloutResult } from "../rollout/follow.ts";
import type { StepOptions } from "../rollout/waiting.ts";
import { applyUpdate } from "./apply.ts";
import { type CreateOptions, ensureExists, type Origin } from "./create.ts";
import type { EnvironmentOptions } from "./environment.ts";
import { adoptionWarning, markerText, readMarker, relationOf, requireOwnership } from "./ownership.ts";
import { firstRevisionId, type UpdatedDeployment, updateDeployment } from "./update.ts";

export interface ReconcileOptions extends CreateOptions, EnvironmentOptions {
  /** The deployment's id. @default the deployment is looked up by its name, and created if there is none */
  id?: string | undefined;
  /** The reason to roll out again although nothing changed. @default don't */
  redeploy?: string | undefined;
  /** The commit that must go live on a deployment that the platform builds on push. */
  pushedCommit?: string | undefined;
  /** Called before a deployment that was found by its name is changed; an error that it throws ends the run. */
  onExisting?: ((deployment: Deployment, origin: Origin) => void) | undefined;
  /** Limits of the wait in `live`. */
  limits?: RolloutOptions["limits"];
}

/** A deployment that the caller now manages. */
export interface HeldDeployment {
  deployment: Deployment;
  /** `known` when the caller passed its id. */
  origin: Origin | "known";
  /** The ownership marker that was written or read, if any. */
  marker: string | undefined;
}

/** A deployment that has its desired configuration; the rollout may still be in progress. */
export interface StartedRollout extends HeldDeployment {
  /** The revision to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

/** A deployment whose desired state is live. */
export interface LiveDeployment {
  deployment: Deployment;
  /** The latest one; `undefined` when the platform doesn't find it. */
  revision: Revision | undefined;
  /** The rollout; `undefined` when the desired state was live already. */
  rollout: RolloutResult | undefined;
}

/**
 * Brings a deployment to its desired state: observes it, creates or changes it, and follows the rollout. Sends only
 * what differs, follows an unfinished rollout instead of starting another, and rolls out again if the latest revision
 * failed.
 *
 * It starts at once. A failure before the deployment is ours rejects `deployment` and `started`, a later one only
 * `started`.
 */
export function reconcile(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: ReconcileOptions = {},
): Reconciliation {
  return new Reconciliation(client, desired, options);
}

/** A run of {@link reconcile}. */
export class Reconciliation {
  /**
   * The deployment, as soon as it is ours: from then on the caller must keep its id, whatever fails.
   * @throws {@link NameInUse} and {@link ConfigError} when somebody else owns it; the client's errors
   */
  readonly deployment: Promise<HeldDeployment>;
  /** The deployment in its desired configuration, and the revision to wait for. */
  readonly started: Promise<StartedRollout>;
  readonly #client: ControlPlane;
  readonly #options: ReconcileOptions;

  constructor(client: ControlPlane, desired: DesiredDeployment, options: ReconcileOptions) {
    this.#client = client;
    this.#options = options;
    const { promise, resolve, reject } = Promise.withResolvers<HeldDeployment>();
    this.deployment = promise;
    this.started = start(client, desired, options, resolve);
    this.started.then(resolve, reject);
    // A caller that awaits only `started` learns of the failure there.
    promise.catch(() => {});
  }

  /**
   * Waits until the desired state is live, within `limits`.
   * @throws as {@link followRollout}
   */
  async live(): Promise<LiveDeployment> {
    const { deployment, revisionId } = await this.started;
    if (revisionId !== undefined) return followUntilLive(this.#client, deployment, revisionId, this.#options);
    const { signal } = this.#options;
    return { ...(await observeDeployment(this.#client, deployment.id, { signal })), rollout: undefined };
  }
}

/**
 * Follows a revision of a deployment, whoever made it, until it is live, within `limits`.
 * @throws as {@link followRollout}
 */
export async function followUntilLive(
  client: ControlPlane,
  deployment: Deployment,
  revisionId: string,
  { limits, signal, onProgress }: Pick<ReconcileOptions, "limits" | "signal" | "onProgress">,
): Promise<LiveDeployment> {
  const webUrl = client.webUrl(deployment);
  const wait = { deploymentId: deployment.id, revisionId, webUrl, limits, signal, onProgress };
  const rollout = await followRollout(client, wait);
  return { deployment: rollout.deployment, revision: rollout.revision, rollout };
}

type Hold = (held: HeldDeployment) => void;

async function start(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: ReconcileOptions,
  hold: Hold,
): Promise<StartedRollout> {
  keepSecret(client, desired, options);
  if (options.id !== undefined) return updateKnown(client, options.id, desired, options);
  const { deployment, origin } = await ensureExists(client, desired, options);
  return origin === "created"
    ? finishCreation(client, deployment, desired, options, hold)
    : takeExisting(client, deployment, origin, desired, options, hold);
}

/** Redacts the declared secret values, and those declared before, from all later messages. */
function keepSecret(client: ControlPlane, desired: DesiredDeployment, options: ReconcileOptions): void {
  client.redactor.add(Object.values(options.previous?.secrets ?? {}));
  const isNew = ([, value]: [string, string]) => !client.redactor.isUnprotected(value);
  const secrets = Object.fromEntries(Object.entries(desired.secrets ?? {}).filter(isNew));
  client.redactor.add(Object.values(secrets));
  const message = unprotectedWarning(secrets);
  if (message !== undefined) options.onProgress?.({ type: "warning", message });
}

async function finishCreation(
  client: ControlPlane,
  created: Deployment,
  desired: DesiredDeployment,
  options: ReconcileOptions,
  hold: Hold,
): Promise<StartedRollout> {
  const { claim, signal, onProgress } = options;
  const marker = claim && markerText(claim.owner, claim.generation);
  const held = { deployment: created, origin: "created", marker } as const;
  hold(held);
  onProgress?.({ type: "deployment", deploymentId: created.id, created: true });
  const revisionId = await firstRevisionId(client, created, options);
  if (desired.displayName === undefined) return { ...held, revisionId };
  // The platform accepts no display name in a create request.
  const named = { name: created.name, source: created.source, displayName: desired.displayName };
  const { deployment } = await applyUpdate(client, named, created, { signal, onProgress });
  return { ...held, deployment, revisionId };
}

/**
 * A deployment that is kept needs a new marker, or its earlier entry couldn't be told from this one. An adoption skips
 * it where it can't be written.
 */
const takesOver = { resumed: undefined, kept: "required", adopted: "attempted" } as const;

/**
 * Takes an existing deployment over. A marker of a new generation, which takes one revision, then distinguishes the new
 * owner from the earlier one.
 */
async function takeExisting(
  client: ControlPlane,
  existing: Deployment,
  origin: Exclude<Origin, "created">,
  desired: DesiredDeployment,
  options: ReconcileOptions,
  hold: Hold,
): Promise<StartedRollout> {
  const { claim, onExisting, onProgress } = options;
  onExisting?.(existing, origin);
  // It becomes ours only after a successful change: a refused adoption must not lead to its deletion later.
  const updated = await updateDeployment(client, existing.id, desired, {
    ...options,
    unreadable: "changed",
    marker: claim && markerText(claim.owner, claim.generation),
    takesOver: claim && takesOver[origin],
    // The newer marker makes an earlier entry of this owner release it, so it is ours from here on, whatever follows.
    onMarkerWritten: (marker) => {
      if (origin !== "adopted") hold({ deployment: existing, origin, marker });
    },
  });
  const marker = updated.marker ?? (origin === "resumed" ? readMarker(updated.deployment.secrets) : undefined);
  const started = { ...updated, origin, marker };
  hold(started);
  onProgress?.({ type: "deployment", deploymentId: existing.id, created: false });
  return started;
}

/** @throws {@link ConfigError} when somebody else owns the deployment */
async function updateKnown(
  client: ControlPlane,
  id: string,
  desired: DesiredDeployment,
  { claim, adopt = false, onProgress, ...options }: ReconcileOptions,
): Promise<StartedRollout> {
  const ended = (updated: UpdatedDeployment, held: string | undefined): StartedRollout => ({
    ...updated,
    origin: "known",
    marker: updated.marker ?? held,
  });
  if (claim === undefined) {
    const updated = await updateDeployment(client, id, desired, { ...options, onProgress });
    return ended({ ...updated, marker: undefined }, readMarker(updated.deployment.secrets));
  }
  let { held } = claim;
  const warn = (message: string) => onProgress?.({ type: "warning", message });
  const updated = await updateDeployment(client, id, desired, {
    ...options,
    onProgress,
    marker: markerText(claim.owner, claim.generation),
    onObserved: (observed) => {
      if (adopt && relationOf(observed, claim) === "foreign") {
        warn(adoptionWarning(observed));
        return { takesOver: "attempted" };
      }
      if (requireOwnership(observed, claim) !== "older") return {};
      held = readMarker(observed.secrets);
      warn(
        `Deployment ${observed.name} (${id}) was taken over by a newer entry of the same owner, which this one takes back.`,
      );
      return {};
    },
  });
  return ended(updated, held);
}

/** Reads a deployment with its latest revision, which is `undefined` when the platform has or finds none. */
export async function observeDeployment(
  client: ControlPlane,
  id: string,
  options: Pick<StepOptions, "signal"> = {},
): Promise<{ deployment: Deployment; revision: Revision | undefined }> {
  const { signal } = options;
  const deployment = await client.deployments.get(id, { signal });
  const { latest_revision_id: latest } = deployment;
  const revision =
    latest === undefined || latest === null ? undefined : await client.revisions.find(id, latest, { signal });
  return { deployment, revision };
}
