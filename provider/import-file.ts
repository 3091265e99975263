import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import { generationOf, newGeneration, ownershipClause, readMarker, relationOf } from "../core/reconcile/ownership.ts";
import { observeDeployment } from "../core/reconcile/reconcile.ts";
import { check } from "./check.ts";
import { connect, settingsOf } from "./connection.ts";
import { deploymentType, providerText } from "./dynamic.ts";
import { jsonSafe } from "./json-safe.ts";
import { observedState } from "./read.ts";
import { type ConnectionInputs, type DeploymentInputs, resourceOwner, storedInputs } from "./state.ts";

/** A deployment that exists, and the resource that it becomes. */
export interface ImportedDeployment {
  /** Of the resource: the first argument of `new Deployment`. */
  resourceName: string;
  /** Of the deployment on the platform. */
  id: string;
  /**
   * The arguments that the program gives it, as plain values. What differs on the platform shows as a change in the next preview. Secrets are left
   * out of the file; what the program declares of them is compared with the platform in the next run.
   */
  args: Omit<
    DeploymentInputs,
    "source" | "connection" | "resourceUrn" | "resourceOptions" | "secretsVersion" | "__provider"
  > & {
    source?: DeploymentInputs["source"];
  };
}

export interface ImportFileArgs {
  /** The project's name, as in `Pulumi.yaml`. */
  project: string;
  /** The stack that the deployments are imported into, without organization. */
  stack: string;
  resources: readonly ImportedDeployment[];
  /** What the program gives its `Provider`, if it has one; a key only by the name of its variable. @default the environment's settings */
  connection?: Omit<ConnectionInputs, "apiKey" | "apiKeyConfig">;
}

/** What `pulumi import --file` reads, as far as this package writes it. */
export interface ImportFile {
  resources: {
    type: string;
    name: string;
    id: string;
    inputs: Record<string, unknown>;
    outputs: Record<string, unknown>;
  }[];
}

/**
 * The contents of a file for `pulumi import --file import.json --generate-code=false` (CLI 3.254 or newer), which takes deployments that exist into
 * a stack. A plain `pulumi import <type> <name> <id>` can't import a dynamic resource: it sends no provider text. The file holds that text and what
 * the platform tells, so that the CLI asks nothing itself. Nothing is changed on the platform.
 *
 * ```ts
 * const file = await importFile({ project: "agents", stack: "prod", resources: [{ resourceName: "support", id, args }] });
 * await writeFile("import.json", JSON.stringify(file, null, 2));
 * ```
 *
 * @throws {@link ConfigError} for arguments that aren't right and deployments that somebody else owns; the client's errors, also when there is no such deployment.
 */
export async function importFile({ project, stack, resources, connection }: ImportFileArgs): Promise<ImportFile> {
  const client = connect(settingsOf(connection, undefined));
  const entries: ImportFile["resources"] = [];
  for (const { resourceName, id, args } of resources) {
    const inputs = checkedInputs(resourceName, {
      ...(args as DeploymentInputs),
      ...(connection === undefined ? {} : { connection }),
      resourceUrn: `urn:pulumi:${stack}::${project}::${deploymentType}::${resourceName}`,
      __provider: providerText,
    });
    const { deployment, revision } = await observeDeployment(client, id);
    if (deployment.name !== inputs.name) {
      throw new ConfigError(
        `${resourceName}: name is ${JSON.stringify(inputs.name)}, but deployment ${id} is named ${JSON.stringify(deployment.name)}.`,
        { path: "name", hint: "Check the id." },
      );
    }
    const state = storedInputs(inputs);
    const observed = observedState(client, state, deployment, revision);
    const { secrets: _secrets, secretsVersion: _version, ...known } = observed.inputs ?? inputs;
    const marker = readMarker(deployment.secrets);
    if (marker !== undefined) refuseForeign(resourceName, deployment, inputs);
    const outputs = {
      ...observed.props,
      secretNames: undefined,
      secretsVersion: undefined,
      ownershipMarker: marker,
      generation: (marker && generationOf(marker)) ?? newGeneration(),
    };
    // A difference that can't be written into the inputs makes the next run look.
    const drifted = observed.props.drifted === true && !isDeepStrictEqual(known, inputs) ? true : undefined;
    entries.push({
      type: deploymentType,
      name: resourceName,
      id,
      inputs: jsonSafe(known) as Record<string, unknown>,
      outputs: jsonSafe({ ...outputs, drifted }) as Record<string, unknown>,
    });
  }
  return { resources: entries };
}

/** Who imports takes nothing from its owner: nothing is written, so the other would still change and delete it. */
function refuseForeign(resourceName: string, deployment: Deployment, inputs: DeploymentInputs): void {
  const owner = resourceOwner(inputs);
  if (owner === undefined || relationOf(deployment, { owner }) !== "foreign") return;
  throw new ConfigError(
    `${resourceName}: deployment ${deployment.name} (${deployment.id}) is in use elsewhere, ${ownershipClause(deployment)}.`,
    {
      path: "id",
      hint: "Take it over with `adopt: true` in the program instead, which writes the new owner's marker.",
    },
  );
}

function checkedInputs(resourceName: string, declared: DeploymentInputs): DeploymentInputs {
  // The file is read by people and kept in folders, so no secret goes into it.
  const { secrets: _secrets, ...open } = declared;
  const { inputs, failures } = check(undefined, open as DeploymentInputs, undefined);
  const [first] = failures;
  if (first === undefined) return inputs;
  throw new ConfigError(`${resourceName}: ${first.reason}`, { path: first.property });
}
