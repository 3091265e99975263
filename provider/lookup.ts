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
  const found = await existing(client, "deployment", id, observeDeployment(client, id, options));
  const { name, status } = found.deployment;
  if (isBeingDeleted(found.deployment))
    throw new Error(`Deployment ${name} (${id}) is being deleted: its status is ${status}.`);
  return found;
}

/** The response to a request about a `kind` of thing. @throws Error that says so when there is none with this id */
export async function existing<Result>(
  client: ControlPlane,
  kind: "deployment" | "integration",
  id: string,
  response: Promise<Result>,
): Promise<Result> {
  return response.catch((error: unknown) => {
    throw isGone(error, id) ? new Error(`There is no ${kind} ${id} in ${describeWorkspace(client)}.`) : error;
  });
}

/** The client's workspace and control plane, for messages. */
export function describeWorkspace({ workspaceId, baseUrl }: ControlPlane): string {
  return `${workspaceId === undefined ? "the key's workspace" : `workspace ${workspaceId}`} at ${baseUrl}`;
}
