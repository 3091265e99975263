import { type DesiredDeployment, desiredFields } from "../core/desired.ts";

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
  /** Made by the constructor, for the status line and the mark. */
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
  /** Where the agent server answers. */
  url?: string | undefined;
  /** The deployment's page for people. */
  webUrl?: string | undefined;
  tenantId?: string | undefined;
  /** The control plane that made the deployment; no other one is ever asked about it. */
  baseUrl?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
}

/**
 * What the state holds of a deployment: its inputs without the secret values, and what the platform tells. Values in outputs would reach every
 * program and its debug log.
 */
export interface DeploymentState extends Omit<DeploymentInputs, "secrets">, DeploymentOutputs {
  /** Names of the secrets; absent when none are declared. */
  secretNames?: readonly string[] | undefined;
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

/** The mark of a deployment that a Pulumi resource made. */
export function markOf(inputs: DeploymentInputs): string | undefined {
  return inputs.resourceUrn === undefined ? undefined : `pulumi#${inputs.resourceUrn}`;
}

/** Whether the last thing known of the deployment is that its latest revision isn't live, or that it is being deleted. */
export function isUnhealthy(state: DeploymentState): boolean {
  if (state.status === "AWAITING_DELETE" || state.status === "AWAITING_FINAL_DELETE") return true;
  if (state.wait === false || state.revisionStatus === undefined) return false;
  if (state.revisionStatus !== "DEPLOYED") return true;
  const { activeRevisionId: active, latestRevisionId: latest } = state;
  return active !== undefined && latest !== undefined && active !== latest;
}
