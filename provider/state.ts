import { isFinalFailure } from "../core/client/wire/revisions.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { desiredFields } from "../core/declare/validation.ts";
import type { Claim } from "../core/reconcile/ownership.ts";

/** How to connect, as declared in the program; the key is a Pulumi secret. */
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

/** Pulumi's resource options that a replacement depends on, as far as the program sets them. */
export interface ResourceOptionInputs {
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
}

/**
 * The inputs of a `Deployment` as the engine passes them: plain values, and placeholders for unknown ones in a preview.
 */
export interface DeploymentInputs extends DesiredDeployment {
  /** Only a creation finds it, so what would be found later changes nothing. */
  integration?: "auto";
  triggers?: Record<string, unknown> | readonly unknown[];
  wait?: boolean;
  timeouts?: Timeouts;
  adopt?: boolean;
  deleteTracingProject?: boolean;
  pushedCommit?: string;
  connection?: ConnectionInputs;
  /**
   * Incremented by `check` when secret values change. The outputs in the state hold no secret values to compare, so
   * this shows an update that they changed.
   */
  secretsVersion?: number;
  /** Set by the constructor, for the status line and the ownership marker. */
  resourceUrn?: string;
  /** Set by the constructor; absent if the program sets none. */
  resourceOptions?: ResourceOptionInputs;
  __provider?: string;
}

/** The outputs of a `Deployment` that aren't inputs. */
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
  /** The control plane that made the deployment; requests about it go to no other. */
  baseUrl?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
}

/** What the state keeps about ownership. States of earlier builds have neither. */
export interface Holding {
  /** The ownership marker that this resource last wrote. */
  ownershipMarker?: string | undefined;
  /**
   * The generation of this entry of the state: new with each creation, adoption and resumption. The next revision's
   * marker contains it.
   */
  generation?: string | undefined;
}

/**
 * What the state keeps of a deployment: its inputs without secret values, and the platform's data. Secret values in
 * outputs would reach every program and Pulumi's debug log.
 */
export interface DeploymentState extends Omit<DeploymentInputs, "secrets">, DeploymentOutputs, Holding {
  /** Names of the secrets; absent if none are declared. */
  secretNames?: readonly string[] | undefined;
  /** Whether this is a lookup (`Deployment.get`), which owns nothing. */
  lookedUp?: boolean | undefined;
  /** Whether the platform differs from the inputs in a way that they can't express. */
  drifted?: boolean | undefined;
}

/** The names of a connection's settings, which are arguments of a `Provider`. */
export const connectionNames: readonly (keyof ConnectionInputs)[] = [
  "apiKey",
  "apiKeyEnv",
  "apiKeyConfig",
  "workspaceId",
  "region",
  "baseUrl",
  "dialect",
  "allowHttpHosts",
];

/** Inputs that only the client needs, so that a change takes no request. */
export const clientOnlyInputs: readonly string[] = [
  "resourceUrn",
  "resourceOptions",
  "timeouts",
  "wait",
  "adopt",
  "deleteTracingProject",
  "connection",
  "integration",
  "__provider",
];

/** The names of all inputs. */
export const inputNames: readonly string[] = [
  ...desiredFields,
  ...clientOnlyInputs,
  "triggers",
  "pushedCommit",
  "secretsVersion",
];

/** The declaration within inputs or a state. */
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

/** The inputs in which a difference concerns the platform, without the secrets. */
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

/** The owner that a resource's marker names. */
export function resourceOwner({ resourceUrn }: DeploymentInputs | DeploymentState): string | undefined {
  return resourceUrn === undefined ? undefined : `pulumi#${resourceUrn}`;
}

/**
 * The ownership marker that was last written for a state. In states of earlier builds it has their own URN and no
 * generation.
 */
export function markerOf(state: DeploymentState): string | undefined {
  const { generation, ownershipMarker } = state;
  return ownershipMarker ?? (generation === undefined ? resourceOwner(state) : undefined);
}

/** The claim of a state on its deployment; `inputs` are the current ones, whose URN may differ. */
export function claimOf(state: DeploymentState, inputs: DeploymentInputs | DeploymentState = state): Claim | undefined {
  const owner = resourceOwner(inputs);
  return owner === undefined ? undefined : { owner, generation: state.generation, held: markerOf(state) };
}

/** What a state holds besides the inputs. */
export function observedOf(state: DeploymentState): DeploymentOutputs & Holding {
  const inputs = [...inputNames, "secretNames", "drifted"];
  return Object.fromEntries(Object.entries(state).filter(([name]) => !inputs.includes(name)));
}

/** The names of the declared environment entries. */
export function declaredNames({ env, secretNames }: DeploymentState): string[] {
  return [...Object.keys(env ?? {}), ...(secretNames ?? [])];
}

/** Whether, according to the state, the latest revision isn't live, or the deployment is being deleted. */
export function isUnhealthy(state: DeploymentState): boolean {
  return unhealthyReason(state) !== undefined;
}

/** Why a deployment is unhealthy according to the state, as the end of a sentence. */
export function unhealthyReason(state: DeploymentState): string | undefined {
  const { status, wait, revisionStatus, activeRevisionId: active, latestRevisionId: latest } = state;
  if (status === "AWAITING_DELETE" || status === "AWAITING_FINAL_DELETE") return "it is being deleted";
  if (wait === false || revisionStatus === undefined) return undefined;
  if (revisionStatus !== "DEPLOYED") {
    return isFinalFailure(revisionStatus)
      ? `its last rollout ended as ${revisionStatus}`
      : `the end of its last rollout isn't known (last seen ${revisionStatus})`;
  }
  const isSwitched = active === undefined || latest === undefined || active === latest;
  return isSwitched ? undefined : "its traffic wasn't on the latest revision";
}
