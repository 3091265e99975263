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
  /** The resource's name, the first argument of `new Deployment`. */
  resourceName: string;
  /** The deployment's id on the platform. */
  id: string;
  /**
   * The arguments in the program, as plain values. Differences from the platform show as changes in the next preview.
   * The file leaves out secrets; the next run compares the program's with the platform's.
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
  /**
   * The arguments of the program's `Provider`, if it has one; a key only by the name of its variable. @default the
   * environment's settings
   */
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
 * Returns the contents of a file for `pulumi import --file import.json --generate-code=false` (CLI 3.254 or newer),
 * which imports existing deployments into a stack. A plain `pulumi import <type> <name> <id>` can't import a dynamic
 * resource, since it sends no provider text. The file holds that text and the platform's data, so that the CLI makes no
 * requests. Nothing changes on the platform.
 *
 * ```ts
 * const file = await importFile({ project: "agents", stack: "prod", resources: [{ resourceName: "support", id, args }] });
 * await writeFile("import.json", JSON.stringify(file, null, 2));
 * ```
 *
 * @throws `ConfigError` for invalid arguments and deployments with another owner; the client's errors, also when a
 * deployment doesn't exist
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
    // A difference that can't be expressed in the inputs makes the next run check.
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

/**
 * Refuses a deployment with another owner: an import writes no marker, so that owner would still change and delete it.
 */
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
  // The file isn't encrypted, so no secret goes into it.
  const { secrets: _secrets, ...open } = declared;
  const { inputs, failures } = check(undefined, open as DeploymentInputs, undefined);
  const [first] = failures;
  if (first === undefined) return inputs;
  throw new ConfigError(`${resourceName}: ${first.reason}`, { path: first.property });
}
