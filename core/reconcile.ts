import { applyDesired } from "./application.ts";
import { type ChangeOptions, change, firstRevisionId, revisionIfFound, type StepOptions } from "./change.ts";
import type { ControlPlane } from "./client.ts";
import { ensureExists, type Origin, takeOver } from "./creation.ts";
import type { DesiredDeployment } from "./desired.ts";
import { type Claim, relationOf, requireOwnership } from "./ownership.ts";
import { markerText, readMarker } from "./ownership-marker.ts";
import { followRollout, type RolloutResult } from "./rollout.ts";
import type { RolloutLimits } from "./rollout-limits.ts";
import { unprotectedWarning } from "./unprotected-values.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

export type { StepOptions } from "./change.ts";

/** A deployment brought to its desired configuration; the rollout may still be under way. */
export interface Ensured {
  deployment: Deployment;
  /** `existing` for one whose id was known. */
  origin: Origin | "existing";
  /** The ownership marker that it carries now, as far as that is known: written, or read. */
  marker: string | undefined;
  /** What to wait for; `undefined` when the desired state is live already. */
  revisionId: string | undefined;
}

export interface CreateOptions extends StepOptions {
  /** Take over an existing deployment of that name. @default false */
  adopt?: boolean | undefined;
  /** Who creates it. @default nobody: it gets no ownership marker */
  claim?: Claim | undefined;
  /** Called as soon as the deployment is ours, before anything else can fail. */
  onDeployment: (ensured: Pick<Ensured, "deployment" | "origin" | "marker">) => void;
  /** Called before anything is changed on a deployment that exists; what it throws ends the step. */
  onExisting?: ((deployment: Deployment, origin: Origin) => void) | undefined;
}

/** Whose marker was read can be told from its next holder only by a new one; an adoption goes on without, where it can't be written. */
const takesOver = { created: undefined, resumed: undefined, kept: "required", adopted: "attempted" } as const;

/**
 * Observe and ensure for a deployment that has no id yet: create it, or go on with the existing one where that is allowed. One that is kept or
 * adopted gets a marker of a new generation, which takes one revision; so whoever held it before can be told from its holder now.
 * @throws the errors of {@link ensureExists} before `onDeployment` was called, those of the change after it.
 */
export async function create(
  client: ControlPlane,
  desired: DesiredDeployment,
  options: CreateOptions,
): Promise<Ensured> {
  keepSecret(client, desired, options);
  const { claim, onDeployment, onExisting, onProgress } = options;
  const { deployment, origin } = await ensureExists(client, desired, options);
  if (origin !== "created") {
    onExisting?.(deployment, origin);
    // It becomes ours only once it could be brought to what is declared: a refused adoption must not end in its deletion later.
    const changed = await change(client, deployment.id, desired, {
      ...options,
      unreadable: "changed",
      marker: claim && markerText(claim.owner, claim.generation),
      takesOver: claim && takesOver[origin],
      // With a newer marker on it, whoever of this owner held it before would let go of it: so it is held from here, whatever follows.
      onMarked: (marker) => {
        if (origin !== "adopted") onDeployment({ deployment, origin, marker });
      },
    });
    const marker = changed.marker ?? (origin === "resumed" ? readMarker(changed.deployment.secrets) : undefined);
    const taken = { ...changed, origin, marker };
    onDeployment(taken);
    onProgress?.({ type: "deployment", deploymentId: deployment.id, created: false });
    return taken;
  }
  const marker = claim && markerText(claim.owner, claim.generation);
  onDeployment({ deployment, origin, marker });
  onProgress?.({ type: "deployment", deploymentId: deployment.id, created: true });
  const revisionId = await firstRevisionId(client, deployment, options);
  if (desired.displayName === undefined) return { deployment, origin, marker, revisionId };
  const { deployment: named } = await applyDesired(
    client,
    { name: deployment.name, source: deployment.source, displayName: desired.displayName },
    deployment,
    options,
  );
  return { deployment: named, origin, marker, revisionId };
}

export interface UpdateOptions extends Omit<ChangeOptions, "marker" | "takesOver" | "onObserved"> {
  /** How the deployment is held. @default whoever asks may change it, and its marker stays */
  claim?: Claim | undefined;
  /** Take the deployment over where somebody else owns it. @default false */
  adopt?: boolean | undefined;
}

/**
 * Observe and ensure for a deployment with a known id. Sends only what differs; resumes an unfinished rollout instead of starting a second
 * one; rolls out again where the latest revision failed.
 * @throws {@link ConfigError} when somebody else owns the deployment
 */
export async function update(
  client: ControlPlane,
  id: string,
  desired: DesiredDeployment,
  { claim, adopt = false, ...options }: UpdateOptions = {},
): Promise<Ensured> {
  keepSecret(client, desired, options);
  if (claim === undefined) {
    const changed = await change(client, id, desired, options);
    return { ...changed, origin: "existing", marker: readMarker(changed.deployment.secrets) };
  }
  const marker = markerText(claim.owner, claim.generation);
  let held = claim.held;
  const changed = await change(client, id, desired, {
    ...options,
    marker,
    onObserved: (observed) => {
      if (adopt && relationOf(observed, claim) === "foreign") {
        options.onProgress?.({ type: "warning", message: takeOver(observed) });
        return { takesOver: "attempted" };
      }
      if (requireOwnership(observed, claim) !== "older") return {};
      held = readMarker(observed.secrets);
      const message = `Deployment ${observed.name} (${id}) was taken over by a newer entry of the same owner, which this one takes back.`;
      options.onProgress?.({ type: "warning", message });
      return {};
    },
  });
  return { ...changed, origin: "existing", marker: changed.marker ?? held };
}

export interface WaitOptions extends StepOptions {
  limits?: Partial<RolloutLimits> | undefined;
}

/** Waits until the ensured revision is live; at once when there is nothing to wait for. */
export async function waitUntilLive(
  client: ControlPlane,
  ensured: Pick<Ensured, "deployment" | "revisionId">,
  options: WaitOptions = {},
): Promise<RolloutResult | undefined> {
  const { revisionId, deployment } = ensured;
  if (revisionId === undefined) return undefined;
  const webUrl = client.webUrl(deployment);
  options.onProgress?.({ type: "revision", deploymentId: deployment.id, revisionId, webUrl });
  return followRollout(client, { ...options, deploymentId: deployment.id, revisionId, webUrl });
}

/** A deployment as it is now, with its latest revision; `revision` is missing where that alone answers 404. */
export async function observe(
  client: ControlPlane,
  id: string,
  options: StepOptions = {},
): Promise<{ deployment: Deployment; revision: Revision | undefined }> {
  const deployment = await client.getDeployment(id, { signal: options.signal });
  const { latest_revision_id: latest } = deployment;
  const revision =
    latest === undefined || latest === null ? undefined : await revisionIfFound(client, id, latest, options.signal);
  return { deployment, revision };
}

/** From here on no message shows the declared secret values, nor those declared before. */
function keepSecret(client: ControlPlane, desired: DesiredDeployment, { previous, onProgress }: UpdateOptions): void {
  client.redactor.add(Object.values(previous?.secrets ?? {}));
  const untold = Object.entries(desired.secrets ?? {}).filter(([, value]) => !client.redactor.isUnprotected(value));
  client.redactor.add(untold.map(([, value]) => value));
  const warning = unprotectedWarning(Object.fromEntries(untold));
  if (warning !== undefined) onProgress?.({ type: "warning", message: warning });
}
