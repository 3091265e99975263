import type { ControlPlane } from "../core/client.ts";
import { parseTimeout } from "../core/duration.ts";
import { type Ensured, observe, waitUntilLive } from "../core/reconcile.ts";
import { defaultRolloutLimits } from "../core/rollout-limits.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { outputsOf } from "./outputs.ts";
import { plain } from "./plain-error.ts";
import { type DeploymentInputs, type DeploymentState, storedInputs } from "./state.ts";
import type { StatusLine } from "./status-line.ts";

/** A deployment, and how this entry of the state holds it. */
export interface Held extends Pick<DeploymentState, "ownershipMarker" | "generation"> {
  deployment: Deployment;
}

/** Waits for the rollout where that is wanted. Whatever goes wrong from here on keeps the id. */
export async function finish(
  client: ControlPlane,
  ensured: Ensured & Pick<DeploymentState, "generation">,
  inputs: DeploymentInputs,
  step: "create" | "update",
  line: StatusLine,
  signal: AbortSignal,
): Promise<DeploymentState> {
  const { onProgress } = line;
  const holding = { ownershipMarker: ensured.marker, generation: ensured.generation };
  const stored = { ...storedInputs(inputs), ...holding };
  try {
    if (inputs.wait !== false) {
      const limit = inputs.timeouts?.[step];
      const timeoutMs = limit === undefined ? defaultRolloutLimits.timeoutMs : parseTimeout(limit, `timeouts.${step}`);
      const live = await waitUntilLive(client, ensured, { limits: { timeoutMs }, signal, onProgress });
      if (live !== undefined) {
        warnOfNewerPush(inputs, live.revision.source_revision_config.repo_commit_sha, line);
        return jsonSafe({ ...stored, ...outputsOf(client, live.deployment, live.revision) });
      }
    }
    const { deployment, revision } = await observe(client, ensured.deployment.id, { signal });
    return jsonSafe({ ...stored, ...outputsOf(client, deployment, revision) });
  } catch (error) {
    throw initError(client, { ...holding, deployment: ensured.deployment }, inputs, error);
  }
}

function warnOfNewerPush(inputs: DeploymentInputs, commit: string | null | undefined, line: StatusLine): void {
  const { pushedCommit } = inputs;
  if (pushedCommit === undefined || commit === undefined || commit === null || commit === pushedCommit) return;
  const message = `The revision that is live is of commit ${commit}, not ${pushedCommit}: the branch moved meanwhile.`;
  line.onProgress({ type: "warning", message });
}

/** The failure of a step after which the deployment exists, so that the state keeps its id and how it is held. */
export function initError(client: ControlPlane, held: Held, inputs: DeploymentInputs, cause: unknown): InitError {
  if (cause instanceof InitError) return cause;
  const { deployment, ...holding } = held;
  const revisionStatus = (cause as { status?: unknown }).status;
  const outputs = outputsOf(client, deployment, undefined);
  const status = typeof revisionStatus === "string" ? revisionStatus : "UNKNOWN";
  return new InitError(
    deployment.id,
    // Marked, so that the next run looks even where it isn't to wait.
    { ...storedInputs(inputs), ...holding, ...outputs, revisionStatus: status, drifted: true },
    plain(cause, client),
  );
}
