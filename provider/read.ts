import type { ControlPlane } from "../core/client.ts";
import { camelCaseKeys, type DesiredDeployment, managedByName, snakeCaseKeys } from "../core/desired.ts";
import { declaresEnvironment, isMasked } from "../core/environment.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import type { Revision } from "../core/wire/revision.ts";
import { outputsOf } from "./outputs.ts";
import { type DeploymentInputs, type DeploymentState, inputsOf } from "./state.ts";

/**
 * The inputs as the platform has them: what is declared is read back, so that a change made elsewhere shows as a difference in the next run. What
 * was never declared stays undeclared. Hidden environment values are kept as they were declared.
 */
export function observedInputs(state: DeploymentState, deployment: Deployment): DeploymentInputs {
  const inputs = inputsOf(state);
  const observed = declaredFrom(deployment);
  return {
    ...inputs,
    ...overlay({ name: inputs.name, source: inputs.source, displayName: inputs.displayName }, { ...observed }),
    ...(inputs.sourceConfig && { sourceConfig: observedSourceConfig(inputs.sourceConfig, observed.sourceConfig) }),
    ...(inputs.sourceRevisionConfig && {
      sourceRevisionConfig: overlay(inputs.sourceRevisionConfig, observed.sourceRevisionConfig ?? {}),
    }),
    ...(inputs.secretReferences && { secretReferences: observed.secretReferences ?? inputs.secretReferences }),
    ...(declaresEnvironment(inputs) ? observedEnvironment(inputs, deployment) : {}),
  };
}

/** The state of a deployment that is looked up by id alone: everything but the environment, whose values are nobody's business here. */
export function stateFromPlatform(
  client: ControlPlane,
  deployment: Deployment,
  revision: Revision | undefined,
): DeploymentState {
  return { ...declaredFrom(deployment), ...outputsOf(client, deployment, revision) };
}

function declaredFrom(deployment: Deployment): DesiredDeployment {
  const { source_config: config, source_revision_config: revision } = deployment;
  const { resource_spec: resourceSpec, listener_config: listenerConfig, ...plain } = config;
  return {
    name: deployment.name,
    source: deployment.source,
    displayName: deployment.display_name ?? undefined,
    sourceConfig: {
      ...withoutNulls(camelCaseKeys(plain)),
      ...(resourceSpec && { resourceSpec: withoutNulls(camelCaseKeys(resourceSpec)) }),
      ...(listenerConfig && { listenerConfig: withoutNulls(camelCaseKeys(listenerConfig)) }),
    },
    sourceRevisionConfig: withoutNulls(
      camelCaseKeys({
        repo_ref: revision.repo_ref,
        graph_config_path: revision.graph_config_path,
        image_uri: revision.image_uri,
        source_tarball_path: revision.source_tarball_path,
      }),
    ),
    secretReferences: deployment.secret_references
      ? Object.fromEntries(
          deployment.secret_references.map(({ name, secret_name, secret_key }) => [
            name,
            { secretName: secret_name, secretKey: secret_key },
          ]),
        )
      : undefined,
  };
}

function observedSourceConfig(
  declared: NonNullable<DesiredDeployment["sourceConfig"]>,
  observed: DesiredDeployment["sourceConfig"] = {},
): DesiredDeployment["sourceConfig"] {
  const { resourceSpec, listenerConfig, ...plain } = declared;
  return {
    ...overlay(plain, observed),
    ...(listenerConfig && { listenerConfig: overlay(listenerConfig, observed.listenerConfig ?? {}) }),
    // Its undeclared fields are the platform's defaults.
    ...(resourceSpec && {
      resourceSpec: overlay(camelCaseKeys(snakeCaseKeys(resourceSpec)), observed.resourceSpec ?? {}),
    }),
  };
}

/** `declared`, each field with the observed value where there is one. */
function overlay<Fields extends object>(declared: Fields, observed: object): Fields {
  const values = observed as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, value === undefined ? undefined : (values[name] ?? value)]),
  ) as Fields;
}

function observedEnvironment(
  inputs: DeploymentInputs,
  { secrets }: Deployment,
): Pick<DesiredDeployment, "env" | "secrets"> {
  if (secrets === undefined || secrets === null) return {};
  const present = new Map(secrets.filter(({ name }) => name !== managedByName).map(({ name, value }) => [name, value]));
  const readBack = (declared: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(declared).flatMap(([name, value]) => {
        const shown = present.get(name);
        if (shown === undefined) return [];
        return [[name, isMasked(shown) ? value : shown]];
      }),
    );
  const { env = {}, secrets: declaredSecrets = {} } = inputs;
  const undeclared = [...present].filter(
    ([name]) => !Object.hasOwn(env, name) && !Object.hasOwn(declaredSecrets, name),
  );
  const secretValues = { ...readBack(declaredSecrets), ...Object.fromEntries(undeclared) };
  return {
    ...(inputs.env === undefined ? {} : { env: readBack(env) }),
    ...(inputs.secrets === undefined && undeclared.length === 0 ? {} : { secrets: secretValues }),
  };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
