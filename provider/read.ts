import { isDeepStrictEqual } from "node:util";
import type { ControlPlane } from "../core/client/client.ts";
import { type Deployment, isMasked, type Secret } from "../core/client/wire/deployments.ts";
import type { Revision } from "../core/client/wire/revisions.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { isSameRepository, roundedSpec } from "../core/declare/deployment.ts";
import { camelCaseKeys, snakeCaseKeys } from "../core/names.ts";
import { hidesValues } from "../core/reconcile/environment.ts";
import { jsonSafe } from "./json-safe.ts";
import { outputsOf } from "./outputs.ts";
import {
  type DeploymentInputs,
  type DeploymentState,
  declaredNames,
  inputsOf,
  observedOf,
  storedInputs,
} from "./state.ts";

/** The result of a refresh: the new state and, if they can be determined, the corresponding inputs. */
export interface ObservedState {
  props: DeploymentState;
  inputs?: DeploymentInputs;
}

/**
 * Writes what the platform has into the state, so that a change made elsewhere shows as a difference in the next run.
 * Undeclared fields stay undeclared.
 *
 * Where the platform hides environment values, the inputs can't be determined; then the engine keeps its own, and
 * `drifted` marks a difference. A lookup by id (`Deployment.get`) has no inputs, and its environment isn't read.
 */
export function observedState(
  client: ControlPlane,
  state: DeploymentState,
  deployment: Deployment,
  revision: Revision | undefined,
): ObservedState {
  const outputs = { ...observedOf(state), ...outputsOf(client, deployment, revision) };
  if (state.name === undefined || state.lookedUp === true) {
    return { props: { ...state, ...declaredFrom(deployment), ...outputs, lookedUp: true } };
  }
  const inputs = { ...inputsOf(state), ...observedDeclaration(state, deployment) };
  const environment = observedEnvironment(state, deployment);
  const { secretNames } = environment;
  if (environment.entries === "hidden") {
    const drifted =
      !isDeepStrictEqual(jsonSafe(inputs), jsonSafe(inputsOf(state))) ||
      !isDeepStrictEqual(secretNames, state.secretNames);
    return { props: { ...inputs, ...outputs, secretNames: state.secretNames, drifted } };
  }
  const known = { ...inputs, ...environment.entries };
  return { props: { ...storedInputs(known), ...outputs, drifted: false }, inputs: known };
}

function observedDeclaration(state: DeploymentState, deployment: Deployment): Partial<DeploymentInputs> {
  const declared = inputsOf(state);
  const observed = declaredFrom(deployment);
  return {
    ...overlay({ name: declared.name, source: declared.source, displayName: declared.displayName }, { ...observed }),
    ...(declared.sourceConfig && { sourceConfig: observedSourceConfig(declared.sourceConfig, observed.sourceConfig) }),
    ...(declared.sourceRevisionConfig && {
      sourceRevisionConfig: overlay(declared.sourceRevisionConfig, observed.sourceRevisionConfig ?? {}),
    }),
    ...(declared.secretReferences && { secretReferences: observed.secretReferences ?? declared.secretReferences }),
  };
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
  const { repoUrl } = declared;
  // Another way to write the same repository isn't drift.
  const sameRepository = repoUrl !== undefined && isSameRepository(repoUrl, observed.repoUrl ?? repoUrl);
  return {
    ...overlay(plain, observed),
    ...(sameRepository ? { repoUrl } : {}),
    ...(listenerConfig && { listenerConfig: overlay(listenerConfig, observed.listenerConfig ?? {}) }),
    // Undeclared fields have the platform's defaults.
    ...(resourceSpec && {
      resourceSpec: observedResourceSpec(camelCaseKeys(snakeCaseKeys(resourceSpec)), observed.resourceSpec ?? {}),
    }),
  };
}

/** The platform rounds cores to one decimal, which isn't drift. */
function observedResourceSpec(declared: Record<string, unknown>, observed: Readonly<Record<string, unknown>>) {
  const [there, here] = [roundedSpec(observed), roundedSpec(declared)];
  const drifted = Object.entries(overlay(declared, observed)).filter(([name]) => there[name] !== here[name]);
  return { ...declared, ...Object.fromEntries(drifted) };
}

/** `declared` with the observed values, where there are any. */
function overlay<Fields extends object>(declared: Fields, observed: object): Fields {
  const values = observed as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, value === undefined ? undefined : (values[name] ?? value)]),
  ) as Fields;
}

interface ObservedEnvironment {
  /** The environment as inputs; `hidden` when the platform hides the values. */
  entries: Pick<DesiredDeployment, "env" | "secrets"> | "hidden";
  secretNames: readonly string[] | undefined;
}

/** The platform's values of declared entries; a plain entry stays plain. Undeclared entries are ignored. */
function observedEnvironment(state: DeploymentState, { secrets }: Deployment): ObservedEnvironment {
  const { env, secretNames } = state;
  if (env === undefined && secretNames === undefined) return { entries: {}, secretNames };
  if (secrets === undefined || secrets === null) return { entries: "hidden", secretNames };
  const declared = declaredNames(state);
  const present = secrets.filter(({ name }) => declared.includes(name));
  const plain = present.filter(({ name }) => env !== undefined && Object.hasOwn(env, name));
  const secret = present.filter((entry) => !plain.includes(entry));
  const names = secretNames && secret.map(({ name }) => name).sort();
  if (hidesValues(secrets) && present.some(({ value }) => isMasked(value)))
    return { entries: "hidden", secretNames: names };
  const asMap = (entries: readonly Secret[]) => Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  return {
    entries: {
      ...(env === undefined ? {} : { env: asMap(plain) }),
      ...(names === undefined ? {} : { secrets: asMap(secret) }),
    },
    secretNames: names,
  };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
