import type { ControlPlane } from "../client/client.ts";
import {
  Aborted,
  BadRequestError,
  ConfigError,
  ConflictError,
  isGone,
  ResponseError,
  TimeoutError,
} from "../client/errors.ts";
import {
  isFromIntermediary,
  isOutcomeUnknown,
  isTransient,
  maxWriteAttempts,
  recheckDelaysMs,
} from "../client/retry.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import type { Redactor } from "../redact.ts";
import { defaultHeartbeatMs, Heartbeat, lastPollMs, type StepOptions } from "../rollout/waiting.ts";
import { formatDuration } from "../time.ts";
import { readMarker } from "./ownership.ts";
import { type Plan, type PlanOptions, planUpdate } from "./plan.ts";

export interface ApplyOptions extends StepOptions, PlanOptions {
  /** Called when an ownership marker has been written, or may have been. */
  onMarkerWritten?: ((marker: string) => void) | undefined;
}

export interface AppliedPlan {
  deployment: Deployment;
  plan: Plan;
  /** The revision that the change made, if it made one. */
  revisionId: string | undefined;
}

/**
 * Plans the change from the observed deployment to the desired one and applies it with one PATCH of only what differs,
 * or no request where nothing does. After an unknown outcome it rechecks the deployment and sends only what is still
 * missing.
 *
 * @throws {@link ConfigError} when an immutable field differs; {@link ResponseError} when the platform made no revision
 * although it should have; the client's errors
 */
export async function applyUpdate(
  client: ControlPlane,
  desired: DesiredDeployment,
  observed: Deployment,
  options: ApplyOptions = {},
): Promise<AppliedPlan> {
  const { signal, onProgress } = options;
  const plan = planUpdate(desired, observed, options);
  if (plan.action === "replace") throw cannotBecome(observed, plan, client.redactor);
  if (plan.patch === undefined) return { deployment: observed, plan, revisionId: undefined };
  if (plan.droppedNames.length > 0) {
    const message = `No longer declared, so dropped from the environment of ${observed.name}: ${plan.droppedNames.join(", ")}.`;
    onProgress?.({ type: "warning", message });
  }
  const makesRevision = plan.action === "revision";
  const onMarkerWritten = () => {
    if (plan.marker !== undefined) options.onMarkerWritten?.(plan.marker);
  };
  const patched = await patchUntilKnown(
    client,
    desired,
    observed,
    { ...options, onMarkerWritten },
    plan.patch,
    makesRevision,
  );
  if (!makesRevision) return { deployment: patched, plan, revisionId: undefined };
  const deployment = await withNewRevision(client, observed, patched, signal);
  return { deployment, plan, revisionId: deployment.latest_revision_id ?? undefined };
}

/** Sends the patch until its outcome is known. */
async function patchUntilKnown(
  client: ControlPlane,
  desired: DesiredDeployment,
  observed: Deployment,
  options: PlanOptions & StepOptions & { onMarkerWritten: () => void },
  wholePatch: NonNullable<Plan["patch"]>,
  makesRevision: boolean,
): Promise<Deployment> {
  const { signal, onProgress, onMarkerWritten } = options;
  const warn = (message: string) => onProgress?.({ type: "warning", message });
  let patch = wholePatch;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const patched = await client.deployments.update(observed.id, patch, { signal, makesRevision });
      onMarkerWritten();
      return patched;
    } catch (error) {
      if (isOutcomeUnknown(error) || error instanceof Aborted) onMarkerWritten();
      if (!isOutcomeUnknown(error)) throw error;
      if (attempt === 1) {
        warn(`There was no response to the change of ${observed.name}; checking whether it took effect.`);
      }
      if (attempt >= maxWriteAttempts) {
        warn(`The change of ${observed.name} was sent ${attempt} times without a response; it may still take effect.`);
        throw error;
      }
    }
    const { deployment, missing } = await recheck(client, desired, observed, options);
    if (missing === undefined) return deployment;
    patch = missing;
  }
}

/** Reads the deployment after an unknown outcome; `missing` is what still has to be sent, if anything. */
async function recheck(
  client: ControlPlane,
  desired: DesiredDeployment,
  before: Deployment,
  options: PlanOptions & StepOptions,
): Promise<{ deployment: Deployment; missing: Plan["patch"] }> {
  const { signal } = options;
  let deployment = before;
  let missing: Plan["patch"];
  for (const delay of recheckDelaysMs) {
    await client.clock.sleep(delay, signal);
    deployment = await client.deployments.get(before.id, { signal });
    const hasNewRevision = deployment.latest_revision_id !== before.latest_revision_id;
    // Once a new revision exists, hidden values count as written, unless a push may have made it.
    const previous = hasNewRevision && deployment.source_config.build_on_push !== true ? desired : options.previous;
    const redeploy = hasNewRevision ? undefined : options.redeploy;
    const isMarkerHidden = hasNewRevision && readMarker(deployment.secrets) === undefined;
    const takesOver = isMarkerHidden ? undefined : options.takesOver;
    missing = planUpdate(desired, deployment, { ...options, previous, redeploy, takesOver }).patch;
    if (missing === undefined) break;
  }
  return { deployment, missing };
}

/** The deployment once its `latest_revision_id` differs from the one before the PATCH. */
async function withNewRevision(
  client: ControlPlane,
  before: Deployment,
  patched: Deployment,
  signal: AbortSignal | undefined,
): Promise<Deployment> {
  const isNew = ({ latest_revision_id: id }: Deployment) =>
    id !== undefined && id !== null && id !== before.latest_revision_id;
  if (isNew(patched)) return patched;
  for (const delay of recheckDelaysMs) {
    await client.clock.sleep(delay, signal);
    const deployment = await client.deployments.get(before.id, { signal });
    if (isNew(deployment)) return deployment;
  }
  throw new ResponseError(
    `Deployment ${before.name} (${before.id}) was changed, but the platform made no new revision.`,
    { path: "latest_revision_id", hint: "Check the deployment's page and run again." },
  );
}

function cannotBecome(observed: Deployment, plan: Plan, redactor: Redactor): ConfigError {
  const differences = plan.changes.filter((change) => change.effect === "replace");
  const list = differences
    .map(({ path, from, to }) => `${path} is ${JSON.stringify(from)} there and ${JSON.stringify(to)} here`)
    .join("; ");
  const message = `Deployment ${observed.name} (${observed.id}) can't become the declared one: ${list}.`;
  return new ConfigError(redactor.text(message), {
    path: differences[0]?.path ?? "name",
    hint: "These fields can't change on a deployment: declare them as they are there, or use another name.",
  });
}

/** How long a deletion may take, in milliseconds. */
const defaultDeletionTimeoutMs = 600_000;

export interface DeletionOptions extends StepOptions {
  /** @default false */
  deleteTracingProject?: boolean | undefined;
  /** @default 600 s */
  timeoutMs?: number | undefined;
}

/** Whether a deletion is in progress: the deployment can still be read but not changed. */
export function isBeingDeleted({ status }: Deployment): boolean {
  return status === "AWAITING_DELETE" || status === "AWAITING_FINAL_DELETE";
}

/**
 * Deletes a deployment and waits until the control plane reports that it is gone. Returns at once for one that is gone
 * already.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that
 * doesn't name the id
 */
export async function deleteDeployment(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { signal, deleteTracingProject } = options;
  try {
    await client.deployments.delete(id, { signal, ...(deleteTracingProject === true ? { deleteTracingProject } : {}) });
  } catch (error) {
    if (isGone(error, id)) return;
    // A server may refuse to delete a deployment whose deletion is in progress.
    const isRefused = error instanceof BadRequestError || error instanceof ConflictError;
    if (!isRefused || !(await isEnding(client, id, signal))) throw error;
  }
  await waitUntilGone(client, id, options);
}

async function isEnding(client: ControlPlane, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return isBeingDeleted(await client.deployments.get(id, { signal }));
  } catch (error) {
    return isGone(error, id);
  }
}

/**
 * Waits for the end of a deletion in progress.
 * @throws {@link TimeoutError} when it isn't gone in time; {@link Aborted}; the client's errors, also for a 404 that
 * doesn't name the id
 */
export async function waitUntilGone(client: ControlPlane, id: string, options: DeletionOptions = {}): Promise<void> {
  const { timeoutMs = defaultDeletionTimeoutMs, signal, onProgress } = options;
  const startedAt = client.clock.now();
  const deadline = startedAt + timeoutMs;
  let seen: { status: string | undefined } | undefined;
  const report = () => {
    const elapsedMs = client.clock.now() - startedAt;
    onProgress?.({ type: "deleting", deploymentId: id, status: seen?.status, elapsedMs });
  };
  using heartbeat = new Heartbeat(client.clock, defaultHeartbeatMs, report);
  for (let poll = 0; ; poll += 1) {
    let status: string | undefined;
    try {
      const deadlineMs = Math.max(lastPollMs, deadline - client.clock.now());
      status = (await client.deployments.get(id, { signal, deadlineMs })).status ?? undefined;
    } catch (error) {
      if (isGone(error, id)) return;
      if (!isTransient(error) && !isFromIntermediary(error)) throw error;
    }
    const now = client.clock.now();
    if (seen === undefined || seen.status !== status) {
      seen = { status };
      heartbeat.restart();
      report();
    }
    if (now >= deadline) {
      throw new TimeoutError(
        `Deployment ${id} is still ${status ?? "there"} ${formatDuration(timeoutMs)} after its deletion began; the platform continues deleting it. Run again to keep waiting.`,
      );
    }
    const delay = Math.min(500 * 1.5 ** poll, 5_000) * (0.9 + 0.2 * client.random());
    await client.clock.sleep(Math.min(delay, Math.max(1, deadline - now)), signal);
  }
}
