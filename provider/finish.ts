import type { ControlPlane } from "../core/client/client.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import { type LiveDeployment, observeDeployment, type Reconciliation } from "../core/reconcile/reconcile.ts";
import type { RolloutLimits } from "../core/rollout/waiting.ts";
import { parseTimeout } from "../core/time.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { outputsOf } from "./outputs.ts";
import { toPlainError } from "./plain-error.ts";
import { type DeploymentInputs, type DeploymentState, storedInputs } from "./state.ts";
import type { Operation, StatusLine } from "./status-line.ts";

/** A deployment with the marker and the generation of this entry of the state. */
export interface Held extends Pick<DeploymentState, "ownershipMarker" | "generation"> {
  deployment: Deployment;
}

/** The limit of the wait for a rollout. */
export function waitLimits({ timeouts }: DeploymentInputs, step: "create" | "update"): Partial<RolloutLimits> {
  const limit = timeouts?.[step];
  return limit === undefined ? {} : { timeoutMs: parseTimeout(limit, `timeouts.${step}`) };
}

/**
 * Waits for the rollout unless `wait` is false. @throws {@link InitError} for any failure, so that the state keeps the
 * id
 */
export async function finish(
  client: ControlPlane,
  run: Reconciliation,
  generation: string | undefined,
  inputs: DeploymentInputs,
  { line, signal }: Operation,
): Promise<DeploymentState> {
  const started = await run.started;
  const held = { deployment: started.deployment, ownershipMarker: started.marker, generation };
  try {
    const { id } = started.deployment;
    const live: Omit<LiveDeployment, "rollout"> & Partial<LiveDeployment> =
      inputs.wait === false ? await observeDeployment(client, id, { signal }) : await run.live();
    if (live.rollout !== undefined) {
      warnOfNewerPush(inputs, live.rollout.revision.source_revision_config.repo_commit_sha, line);
    }
    const { deployment: _deployment, ...holding } = held;
    return jsonSafe({ ...storedInputs(inputs), ...holding, ...outputsOf(client, live.deployment, live.revision) });
  } catch (error) {
    throw initError(client, held, inputs, error);
  }
}

function warnOfNewerPush(inputs: DeploymentInputs, commit: string | null | undefined, line: StatusLine): void {
  const { pushedCommit } = inputs;
  if (pushedCommit === undefined || commit === undefined || commit === null || commit === pushedCommit) return;
  const message = `The revision that is live is of commit ${commit}, not ${pushedCommit}: the branch has moved.`;
  line.onProgress({ type: "warning", message });
}

/** The error for a failure after which the deployment exists, so that the state keeps its id and its marker. */
export function initError(client: ControlPlane, held: Held, inputs: DeploymentInputs, cause: unknown): InitError {
  if (cause instanceof InitError) return cause;
  const { deployment, ...holding } = held;
  const revisionStatus = (cause as { status?: unknown }).status;
  const outputs = outputsOf(client, deployment, undefined);
  const status = typeof revisionStatus === "string" ? revisionStatus : "UNKNOWN";
  return new InitError(
    deployment.id,
    // Marked as drifted, so that the next run checks it even without `wait`.
    { ...storedInputs(inputs), ...holding, ...outputs, revisionStatus: status, drifted: true },
    toPlainError(cause, client),
  );
}
