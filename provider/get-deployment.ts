import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../core/client/client.ts";
import { connect, settingsOf } from "./connection.ts";
import { describeWorkspace, lookUp } from "./lookup.ts";
import { outputsOf } from "./outputs.ts";
import type { Provider } from "./provider.ts";
import { settledValue } from "./settled-value.ts";
import type { ConnectionInputs, DeploymentOutputs } from "./state.ts";
import { hasUnknown } from "./unknown.ts";

/** A deployment by its `id` or its exact `name`. */
export type GetDeploymentArgs = { id: string; name?: undefined } | { name: string; id?: undefined };

/** {@link GetDeploymentArgs} that may be outputs of other resources. */
export type GetDeploymentOutputArgs =
  | { id: pulumi.Input<string>; name?: undefined }
  | { name: pulumi.Input<string>; id?: undefined };

export interface GetDeploymentOptions {
  provider?: Provider;
}

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
  options: GetDeploymentOptions = {},
): Promise<GetDeploymentResult> {
  const connection = await settledValue(options.provider?.connection ?? {});
  if (hasUnknown(connection)) {
    throw new Error("getDeployment: the settings of the provider aren't known yet. Use getDeploymentOutput.");
  }
  return find(args, connection as ConnectionInputs);
}

/** {@link getDeployment} for arguments that are outputs of other resources. */
export function getDeploymentOutput(
  args: GetDeploymentOutputArgs,
  options: GetDeploymentOptions = {},
): pulumi.Output<GetDeploymentResult> {
  return pulumi
    .all([pulumi.output(args), pulumi.output(options.provider?.connection ?? {})])
    .apply(([known, connection]) => find(known as GetDeploymentArgs, connection as ConnectionInputs));
}

async function find(args: GetDeploymentArgs, connection: ConnectionInputs): Promise<GetDeploymentResult> {
  const { id, name } = validArgs(args);
  const config = new pulumi.Config("graphdeploy");
  const client = connect(settingsOf(connection, { get: (key) => config.get(key.slice("graphdeploy:".length)) }));
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
  const given = id ?? name;
  if (typeof given === "string" && given.trim() !== "") return id === undefined ? { name } : { id };
  throw new Error(`getDeployment: the ${id === undefined ? "name" : "id"} is empty, or not a string.`);
}

async function idOf(client: ControlPlane, name: string): Promise<string> {
  const { deployment } = await client.deployments.findByName(name);
  if (deployment !== undefined) return deployment.id;
  throw new Error(`getDeployment: no deployment is named ${JSON.stringify(name)} in ${describeWorkspace(client)}.`);
}
