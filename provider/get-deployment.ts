import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../core/client/client.ts";
import { describeWorkspace, lookUp } from "./lookup.ts";
import { outputsOf } from "./outputs.ts";
import { type LookupOptions, lookUpNow, lookUpOutput, requireText } from "./program-lookup.ts";
import type { DeploymentOutputs } from "./state.ts";

/** A deployment by its `id` or its exact `name`. */
export type GetDeploymentArgs = { id: string; name?: undefined } | { name: string; id?: undefined };

/** {@link GetDeploymentArgs} that may be outputs of other resources. */
export type GetDeploymentOutputArgs =
  | { id: pulumi.Input<string>; name?: undefined }
  | { name: pulumi.Input<string>; id?: undefined };

export interface GetDeploymentResult extends DeploymentOutputs {
  id: string;
  name: string;
  source: string;
}

/**
 * Looks up a deployment that is managed elsewhere. The result doesn't include its environment.
 * @throws Error when it doesn't exist or is being deleted, or when the settings are incomplete or not known yet
 */
export async function getDeployment(
  args: GetDeploymentArgs,
  options: LookupOptions = {},
): Promise<GetDeploymentResult> {
  return lookUpNow("getDeployment", find, args, options);
}

/** {@link getDeployment} for arguments that are outputs of other resources. */
export function getDeploymentOutput(
  args: GetDeploymentOutputArgs,
  options: LookupOptions = {},
): pulumi.Output<GetDeploymentResult> {
  return lookUpOutput(find, args, options);
}

async function find(args: GetDeploymentArgs, connectNow: () => ControlPlane): Promise<GetDeploymentResult> {
  const { id, name } = validArgs(args);
  const client = connectNow();
  const { deployment, revision } = await lookUp(client, id ?? (await idOf(client, name)));
  return {
    id: deployment.id,
    name: deployment.name,
    source: deployment.source,
    ...outputsOf(client, deployment, revision),
  };
}

function validArgs({ id, name }: GetDeploymentArgs): GetDeploymentArgs {
  if ((id === undefined) === (name === undefined)) throw new Error("getDeployment: give either an id or a name.");
  requireText("getDeployment", id === undefined ? "name" : "id", id ?? name);
  return id === undefined ? { name } : { id };
}

async function idOf(client: ControlPlane, name: string): Promise<string> {
  const { deployment } = await client.deployments.findByName(name);
  if (deployment !== undefined) return deployment.id;
  throw new Error(`getDeployment: no deployment is named ${JSON.stringify(name)} in ${describeWorkspace(client)}.`);
}
