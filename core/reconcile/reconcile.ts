import type { ControlPlane } from "../client/client.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import type { Revision } from "../client/wire/revisions.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { unprotectedWarning } from "../redact.ts";
import { followRollout, type RolloutOptions, type RolloutResult } from "../rollout/follow.ts";
import type { StepOptions } from "../rollout/progress.ts";
import { applyUpdate } from "./apply.ts";
import { type CreateOptions, ensureExists, type Origin } from "./create.ts";
import type { EnvironmentOptions } from "./environment.ts";
import { adoptionWarning, markerText, readMarker, relationOf, requireOwnership } from "./ownership.ts";
import { firstRevisionId, type UpdatedDeployment, updateDeployment } from "./update.ts";

export interface ReconcileOptions extends CreateOptions, EnvironmentOptions {
  /** The deployment, where it is known. @default it is looked up by its name, and created where there is none */
  id?: string | undefined;
  /** Roll out again although nothing changed, and why. */
  redeploy?: string | undefined;
  /** The commit that must go live on a deployment that the platform builds on push. */
  pushedCommit?: string | undefined;
  /** Called before anything is changed on a deployment that was found by its name; what it throws ends the run. */
  onExisting?: ((deployment: Deployment, origin: Origin) => void) | undefined;
  /** Bounds of the wait in `live`. */
  limits?: RolloutOptions["limits"];
}

/** A deployment that is ours. */
export interface HeldDeployment {
  deployment: Deployment;
  /** `known` for one that was given by its id. */
  origin: Origin | "known";
  /** The ownership marker that it carries, as far as that is known: written, or read. */
  marker: string | undefined;
}

/** A deployment brought to its desired configuration; the rollout may still be in progress. */
export interface StartedRollout extends HeldDeployment {
  /** What to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

/** A deployment whose desired state is live. */
export interface LiveDeployment {
  deployment: Deployment;
  /** The latest one; `undefined` where the platform doesn't find it. */
  revision: Revision | undefined;
  /** How it went; `undefined` when the desired state was live already. */
  rollout: RolloutResult | undefined;
}

/**
 * Brings the platform to what is declared: observes the deployment, creates or changes it, and follows the rollout. Sends only what differs;
 * resumes an unfinished rollout instead of starting a second one; rolls out again where the latest revision failed.
 *
 * Starts at once. What fails before the deployment is ours rejects both promises, what fails after that only the later ones.
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
   * The deployment, as soon as it is ours: whatever fails from then on, its id must be kept.
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
    // A caller that awaits one of them learns of a failure there.
    promise.catch(() => {});
  }

  /**
   * Waits until the desired state is live, within `limits`.
   * @throws as {@link followRollout}
   */
  async live(): Promise<LiveDeployment> {
    const { deployment, revisionId } = await this.started;
    const { signal, onProgress, limits } = this.#options;
    const { id: deploymentId } = deployment;
    if (revisionId === undefined) {
      return { ...(await observeDeployment(this.#client, deploymentId, { signal })), rollout: undefined };
    }
    const webUrl = this.#client.webUrl(deployment);
    const wait = { deploymentId, revisionId, webUrl, limits, signal, onProgress };
    const rollout = await followRollout(this.#client, wait);
    return { deployment: rollout.deployment, revision: rollout.revision, rollout };
  }
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

/** From here on no message shows the declared secret values, nor those declared before. */
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
  // The platform takes no display name with a creation.
  const named = { name: created.name, source: created.source, displayName: desired.displayName };
  const { deployment } = await applyUpdate(client, named, created, { signal, onProgress });
  return { ...held, deployment, revisionId };
}

/** A marker that could be read can be told from that of the next holder only by a new one; an adoption does without where it can't be written. */
const takesOver = { resumed: undefined, kept: "required", adopted: "attempted" } as const;

/** One that is kept or adopted gets a marker of a new generation, which takes one revision; so whoever held it before can be told from its holder now. */
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
  // It becomes ours only once it could be brought to what is declared: a refused adoption must not end in its deletion later.
  const updated = await updateDeployment(client, existing.id, desired, {
    ...options,
    unreadable: "changed",
    marker: claim && markerText(claim.owner, claim.generation),
    takesOver: claim && takesOver[origin],
    // With a newer marker on it, whoever of this owner held it before would release it: so it is ours from here, whatever follows.
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

/** A deployment as it is now, with its latest revision; `revision` is missing where the platform doesn't find that alone. */
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
