import { type CancellableOperation, cancellable } from "./cancellation.ts";
import { type CheckFailure, check } from "./check.ts";
import type { StackConfig } from "./connection.ts";
import { type Difference, diff, notesOf, warningsOf } from "./diff.ts";
import { currentEntry, noteHolder } from "./holders.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { createResource, deleteResource, readResource, updateResource } from "./operations.ts";
import { messageOnlyError } from "./plain-error.ts";
import type { DeploymentInputs, DeploymentState } from "./state.ts";
import { type Operation, statusLineOf } from "./status-line.ts";
import { isUnknown } from "./unknown.ts";
import { unwrapSecrets, wrapSecrets } from "./wrapped-secrets.ts";

export type { Open } from "../core/client/wire/conventions.ts";
export type { KnownDeploymentType, KnownSource } from "../core/client/wire/deployments.ts";
export type {
  DesiredDeployment,
  DesiredSourceConfig,
  DesiredSourceRevisionConfig,
} from "../core/declare/deployment.ts";
export type { CheckFailure } from "./check.ts";
export type { StackConfig } from "./connection.ts";
export type { Difference } from "./diff.ts";
export type {
  ConnectionInputs,
  DeploymentInputs,
  DeploymentOutputs,
  DeploymentState,
  Holding,
  ResourceOptionInputs,
  Timeouts,
} from "./state.ts";

/** The seven methods that the provider text in the state calls. Frozen; every earlier state must stay readable. */
export interface DeploymentProvider {
  configure(request: { config: StackConfig }): Promise<void>;
  check(
    olds: DeploymentInputs,
    news: DeploymentInputs,
  ): Promise<{ inputs: DeploymentInputs; failures: CheckFailure[] }>;
  diff(id: string, olds: DeploymentState, news: DeploymentInputs): Promise<Difference>;
  create(inputs: DeploymentInputs): Promise<{ id: string; outs: DeploymentState }>;
  /** Returns an empty record when the deployment is gone. */
  read(
    id: string,
    props: DeploymentState,
  ): Promise<{ id?: string; props?: DeploymentState; inputs?: DeploymentInputs }>;
  update(id: string, olds: DeploymentState, news: DeploymentInputs): Promise<{ outs: DeploymentState }>;
  delete(id: string, props: DeploymentState): Promise<void>;
}

/**
 * Resources whose inputs were checked but not yet compared. The engine also compares without a check, with hypothetical
 * inputs, to see whether the replacement of another resource would replace this one. Then there is nothing to warn
 * about.
 */
const checkedUrns = new Set<string | undefined>();

export function createProvider(): DeploymentProvider {
  let config: StackConfig | undefined;
  return {
    async configure(request) {
      config = request.config;
    },
    async check(olds, news) {
      const { inputs, failures, warnings } = check(unwrapSecrets(olds), unwrapSecrets(news), config);
      checkedUrns.add(inputs.resourceUrn);
      await report(inputs, "warning", warnings);
      const isCreation = olds?.name === undefined;
      if (isCreation && inputs.adopt === true) await report(inputs, "note", [adoptionNote(inputs)]);
      return jsonSafe({ inputs: wrapSecrets(inputs), failures });
    },
    async diff(id, state, inputs) {
      const olds = unwrapSecrets(state);
      const news = unwrapSecrets(inputs);
      noteHolder(id, olds.generation);
      const difference = differenceOf(olds, news, config);
      const mayBeReplaced = difference.replaces.length > 0 || news.resourceOptions?.deleteBeforeReplace === true;
      if (!mayBeReplaced) noteHolder(id, olds.generation ?? currentEntry);
      if (checkedUrns.delete(news.resourceUrn)) {
        await report(news, "warning", warningsOf(olds, news, difference));
        await report(news, "note", notesOf(olds, news, difference));
      }
      return difference;
    },
    create: (inputs) => operate("create", inputs, (run) => createResource(unwrapSecrets(inputs), config, run)),
    read: (id, props) => operate("read", props, (run) => readResource(id, unwrapSecrets(props), config, run)),
    update: (id, olds, news) =>
      operate("update", news, (run) => updateResource(id, unwrapSecrets(olds), unwrapSecrets(news), config, run)),
    delete: (id, props) => operate("delete", props, (run) => deleteResource(id, unwrapSecrets(props), config, run)),
  };
}

/** The preview of a creation makes no request, so it doesn't know whether there is a deployment to adopt. */
function adoptionNote({ name }: DeploymentInputs): string {
  const label = isUnknown(name) ? "the deployment of this name" : `deployment ${name}`;
  return `\`adopt\` takes over ${label} if it exists: it gets one revision with the ownership marker, and environment entries that aren't declared stay.`;
}

async function report(inputs: DeploymentInputs, type: "note" | "warning", messages: readonly string[]): Promise<void> {
  const line = statusLineOf(inputs.resourceUrn);
  for (const message of messages) line.onProgress({ type, message });
  await line.delivered();
}

function differenceOf(olds: DeploymentState, news: DeploymentInputs, config: StackConfig | undefined): Difference {
  try {
    return diff(olds, news, config);
  } catch (error) {
    throw messageOnlyError(error instanceof Error ? error.message : String(error));
  }
}

async function operate<Result>(
  operation: CancellableOperation,
  { resourceUrn }: DeploymentInputs,
  run: (operation: Operation) => Promise<Result>,
): Promise<Result> {
  const line = statusLineOf(resourceUrn);
  try {
    return await cancellable(operation, (signal) => run({ line, signal }));
  } catch (error) {
    throw error instanceof InitError ? error : messageOnlyError(error instanceof Error ? error.message : String(error));
  } finally {
    await line.delivered();
  }
}
