import type { ControlPlane } from "../core/client/client.ts";
import { isGone } from "../core/client/errors.ts";
import { isBeingDeleted } from "../core/reconcile/apply.ts";
import { observeDeployment } from "../core/reconcile/reconcile.ts";

/**
 * Reads a deployment that is managed elsewhere. @throws Error when it doesn't exist, or is being deleted, since
 * resources that depend on it would fail later
 */
export async function lookUp(
  client: ControlPlane,
  id: string,
  options: { signal?: AbortSignal } = {},
): ReturnType<typeof observeDeployment> {
  const found = await observeDeployment(client, id, options).catch((error: unknown) => {
    throw isGone(error, id) ? new Error(`There is no deployment ${id} in ${describeWorkspace(client)}.`) : error;
  });
  const { name, status } = found.deployment;
  if (isBeingDeleted(found.deployment))
    throw new Error(`Deployment ${name} (${id}) is being deleted: its status is ${status}.`);
  return found;
}

/** The client's workspace and control plane, for messages. */
export function describeWorkspace({ workspaceId, baseUrl }: ControlPlane): string {
  return `${workspaceId === undefined ? "the key's workspace" : `workspace ${workspaceId}`} at ${baseUrl}`;
}
