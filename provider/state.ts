import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { desiredFields } from "../core/declare/validation.ts";
import type { Claim } from "../core/reconcile/ownership.ts";

/** How to connect, as a program gives it; a key in it is a Pulumi secret. */
export interface ConnectionInputs {
  apiKey?: string;
  apiKeyEnv?: string;
  /** Name of the stack configuration value that holds the API key. */
  apiKeyConfig?: string;
  workspaceId?: string;
  region?: string;
  baseUrl?: string;
  dialect?: string;
  allowHttpHosts?: readonly string[];
}

export interface Timeouts {
  create?: string | number;
  update?: string | number;
  delete?: string | number;
}

/** Pulumi's resource options that a replacement depends on: those that the program sets. */
export interface ResourceOptionInputs {
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
}

/** The inputs of a `Deployment` as the engine passes them: plain values, unknowns in preview. */
export interface DeploymentInputs extends DesiredDeployment {
  triggers?: Record<string, unknown> | readonly unknown[];
  wait?: boolean;
  timeouts?: Timeouts;
  adopt?: boolean;
  deleteTracingProject?: boolean;
  pushedCommit?: string;
  connection?: ConnectionInputs;
  /**
   * Counted up by `check` whenever the secret values change. The state's outputs hold no secret value to compare with, so this is what tells an
   * update that they did.
   */
  secretsVersion?: number;
  /** Made by the constructor, for the status line and the ownership marker. */
  resourceUrn?: string;
  /** Made by the constructor; absent when the program sets none. */
  resourceOptions?: ResourceOptionInputs;
  __provider?: string;
}

/** What a `Deployment` has beside its inputs. */
export interface DeploymentOutputs {
  /** Status of the deployment, for example READY. */
  status?: string | undefined;
  latestRevisionId?: string | undefined;
  activeRevisionId?: string | undefined;
  /** Status of the latest revision, for example DEPLOYED. */
  revisionStatus?: string | undefined;
  /** Commit of the latest revision. */
  commit?: string | undefined;
  image?: string | undefined;
  /** Address of the agent server. */
  url?: string | undefined;
  /** The deployment's web page. */
  webUrl?: string | undefined;
  tenantId?: string | undefined;
  /** The control plane that made the deployment; no other one is ever asked about it. */
  baseUrl?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
}

/** How the state holds a deployment. Both are missing in states of earlier builds. */
export interface Holding {
  /** The ownership marker that this resource last wrote. */
  ownershipMarker?: string | undefined;
  /** Of this entry of the state: new with each creation, adoption and resumption. It is in the marker that the next revision carries. */
  generation?: string | undefined;
}

/**
 * What the state holds of a deployment: its inputs without the secret values, and what the platform tells. Values in outputs would reach every
 * program and its debug log.
 */
export interface DeploymentState extends Omit<DeploymentInputs, "secrets">, DeploymentOutputs, Holding {
  /** Names of the secrets; absent when none are declared. */
  secretNames?: readonly string[] | undefined;
  /** Of a lookup (`Deployment.get`): nothing is held here. */
  lookedUp?: boolean | undefined;
  /** The platform was found to differ from the inputs, in a way that can't be written into them. */
  drifted?: boolean | undefined;
}

/** Inputs that only the client needs: they may change without a request. */
export const clientOnlyInputs: readonly string[] = [
  "resourceUrn",
  "resourceOptions",
  "timeouts",
  "wait",
  "adopt",
  "deleteTracingProject",
  "connection",
  "__provider",
];

/** Every input there is. */
export const inputNames: readonly string[] = [
  ...desiredFields,
  ...clientOnlyInputs,
  "triggers",
  "pushedCommit",
  "secretsVersion",
];

/** The part of the inputs or the state that is declared of the deployment itself. */
export function declaredOf(state: DeploymentInputs | DeploymentState): DesiredDeployment {
  return pick(state, desiredFields) as unknown as DesiredDeployment;
}

/** The inputs within a state. */
export function inputsOf(state: DeploymentInputs | DeploymentState): DeploymentInputs {
  return pick(state, inputNames) as unknown as DeploymentInputs;
}

/** What the state keeps of the inputs. */
export function storedInputs(
  inputs: DeploymentInputs,
): Omit<DeploymentInputs, "secrets"> & Pick<DeploymentState, "secretNames"> {
  const { secrets, ...rest } = inputs;
  return { ...rest, secretNames: secrets === undefined ? undefined : Object.keys(secrets).sort() };
}

/** Inputs without those that only the client needs: a difference here concerns the platform. */
export function platformInputsOf(state: DeploymentInputs | DeploymentState): Record<string, unknown> {
  return pick(
    state,
    inputNames.filter((name) => !clientOnlyInputs.includes(name) && name !== "secrets"),
  );
}

function pick(record: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** The owner in the marker of what a resource manages. */
export function resourceOwner({ resourceUrn }: DeploymentInputs | DeploymentState): string | undefined {
  return resourceUrn === undefined ? undefined : `pulumi#${resourceUrn}`;
}

/** The ownership marker that a state last wrote. States of earlier builds wrote that of their own URN, and had no generations. */
export function markerOf(state: DeploymentState): string | undefined {
  const { generation, ownershipMarker } = state;
  return ownershipMarker ?? (generation === undefined ? resourceOwner(state) : undefined);
}

/** How a state holds its deployment; `inputs` are those of now, whose URN may be another one. */
export function claimOf(state: DeploymentState, inputs: DeploymentInputs | DeploymentState = state): Claim | undefined {
  const owner = resourceOwner(inputs);
  return owner === undefined ? undefined : { owner, generation: state.generation, held: markerOf(state) };
}

/** What the state tells beside the inputs. */
export function observedOf(state: DeploymentState): DeploymentOutputs & Holding {
  const inputs = [...inputNames, "secretNames", "drifted"];
  return Object.fromEntries(Object.entries(state).filter(([name]) => !inputs.includes(name)));
}

/** The names that a state declares in the environment. */
export function declaredNames({ env, secretNames }: DeploymentState): string[] {
  return [...Object.keys(env ?? {}), ...(secretNames ?? [])];
}

/** Whether the last thing known of the deployment is that its latest revision isn't live, or that it is being deleted. */
export function isUnhealthy(state: DeploymentState): boolean {
  if (state.status === "AWAITING_DELETE" || state.status === "AWAITING_FINAL_DELETE") return true;
  if (state.wait === false || state.revisionStatus === undefined) return false;
  if (state.revisionStatus !== "DEPLOYED") return true;
  const { activeRevisionId: active, latestRevisionId: latest } = state;
  return active !== undefined && latest !== undefined && active !== latest;
}
