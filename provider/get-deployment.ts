import * as pulumi from "@pulumi/pulumi";
import { observe } from "../core/reconcile.ts";
import { connect, settingsOf } from "./connection.ts";
import { outputsOf } from "./outputs.ts";
import type { Provider } from "./provider.ts";
import type { ConnectionInputs, DeploymentOutputs } from "./state.ts";

/** Which deployment: by `id`, or by its exact `name`. */
export interface GetDeploymentArgs {
  id?: string;
  name?: string;
}

export interface GetDeploymentOptions {
  provider?: Provider;
}

export interface GetDeploymentResult extends DeploymentOutputs {
  id: string;
  name: string;
  source: string;
}

/**
 * Looks a deployment up that is managed elsewhere. Its environment is not part of the result.
 * @throws when there is none, or the settings are incomplete.
 */
export async function getDeployment(
  args: GetDeploymentArgs,
  options: GetDeploymentOptions = {},
): Promise<GetDeploymentResult> {
  return new Promise((resolve, reject) => {
    connectionOf(options).apply((connection) => lookUp(args, connection).then(resolve, reject));
  });
}

/** {@link getDeployment} for arguments that are outputs of other resources. */
export function getDeploymentOutput(
  args: { id?: pulumi.Input<string>; name?: pulumi.Input<string> },
  options: GetDeploymentOptions = {},
): pulumi.Output<GetDeploymentResult> {
  return pulumi
    .all([pulumi.output(args), connectionOf(options)])
    .apply(([known, connection]) => lookUp(known as GetDeploymentArgs, connection));
}

function connectionOf({ provider }: GetDeploymentOptions): pulumi.Output<ConnectionInputs> {
  return pulumi.output(provider?.connection ?? {}) as pulumi.Output<ConnectionInputs>;
}

async function lookUp(args: GetDeploymentArgs, connection: ConnectionInputs): Promise<GetDeploymentResult> {
  const config = new pulumi.Config("graphdeploy");
  const client = connect(settingsOf(connection, { get: (key) => config.get(key.slice("graphdeploy:".length)) }));
  const id = args.id ?? (await idOf(client, args.name));
  const { deployment, revision } = await observe(client, id);
  return {
    id: deployment.id,
    name: deployment.name,
    source: deployment.source,
    ...outputsOf(client, deployment, revision),
  };
}

async function idOf(client: ReturnType<typeof connect>, name: string | undefined): Promise<string> {
  if (name === undefined || name === "") throw new Error("getDeployment: give an id or a name.");
  const { deployment } = await client.findByName(name);
  if (deployment !== undefined) return deployment.id;
  const workspace = client.workspaceId === undefined ? "the key's workspace" : `workspace ${client.workspaceId}`;
  throw new Error(
    `getDeployment: no deployment is named ${JSON.stringify(name)} in ${workspace} at ${client.baseUrl}.`,
  );
}
