import { isDeepStrictEqual } from "node:util";
import type { ControlPlane } from "../core/client.ts";
import { defaultDeletionTimeoutMs, deleteDeployment } from "../core/deletion.ts";
import { parseDuration } from "../core/duration.ts";
import { secretValuesOf } from "../core/environment.ts";
import { isGone } from "../core/errors.ts";
import { create, type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import { defaultRolloutLimits } from "../core/rollout-limits.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { cancellable } from "./cancellation.ts";
import { type CheckFailure, check } from "./check.ts";
import { connect, type StackConfig, settingsFor, settingsOf } from "./connection.ts";
import { type Difference, diff, lossWarning } from "./diff.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { lookUp } from "./lookup.ts";
import { outputsOf } from "./outputs.ts";
import { observedState } from "./read.ts";
import { withoutSecretMarks, withSecretsMarked } from "./secret-marks.ts";
import {
  type DeploymentInputs,
  type DeploymentState,
  declaredOf,
  isUnhealthy,
  markOf,
  platformInputsOf,
  storedInputs,
} from "./state.ts";
import { type StatusLine, statusLineOf } from "./status-line.ts";

/** The seven methods that the provider text in the state forwards to. Frozen; every earlier state must stay readable. */
export interface DeploymentProvider {
  configure(request: { config: StackConfig }): Promise<void>;
  check(
    olds: DeploymentInputs,
    news: DeploymentInputs,
  ): Promise<{ inputs: DeploymentInputs; failures: CheckFailure[] }>;
  diff(id: string, olds: DeploymentState, news: DeploymentInputs): Promise<Difference>;
  create(inputs: DeploymentInputs): Promise<{ id: string; outs: DeploymentState }>;
  /** An empty record when the deployment is gone. */
  read(
    id: string,
    props: DeploymentState,
  ): Promise<{ id?: string; props?: DeploymentState; inputs?: DeploymentInputs }>;
  update(id: string, olds: DeploymentState, news: DeploymentInputs): Promise<{ outs: DeploymentState }>;
  delete(id: string, props: DeploymentState): Promise<void>;
}

export function createProvider(): DeploymentProvider {
  let config: StackConfig | undefined;
  return {
    async configure(request) {
      config = request.config;
    },
    async check(olds, news) {
      const { inputs, failures } = check(withoutSecretMarks(olds), withoutSecretMarks(news), config);
      return jsonSafe({ inputs: withSecretsMarked(inputs), failures });
    },
    async diff(_id, olds, news) {
      const difference = differenceOf(withoutSecretMarks(olds), withoutSecretMarks(news), config);
      if (difference.deleteBeforeReplace) {
        const message = `${olds.name} ${lossWarning}`;
        const line = statusLineOf(news.resourceUrn);
        line.onProgress({ type: "warning", message });
        await line.delivered();
      }
      return difference;
    },
    create: (inputs) => operate(inputs, (run) => createResource(withoutSecretMarks(inputs), config, run)),
    read: (id, props) => operate(props, (run) => readResource(id, withoutSecretMarks(props), config, run)),
    update: (id, olds, news) =>
      operate(news, (run) => updateResource(id, withoutSecretMarks(olds), withoutSecretMarks(news), config, run)),
    delete: (id, props) => operate(props, (run) => deleteResource(id, withoutSecretMarks(props), config, run)),
  };
}

function differenceOf(olds: DeploymentState, news: DeploymentInputs, config: StackConfig | undefined): Difference {
  try {
    return diff(olds, news, config);
  } catch (error) {
    throw bare(error instanceof Error ? error.message : String(error));
  }
}

/** What one operation on a resource works with. */
interface Operation {
  line: StatusLine;
  signal: AbortSignal;
}

async function operate<Result>(
  { resourceUrn }: DeploymentInputs,
  run: (operation: Operation) => Promise<Result>,
): Promise<Result> {
  const line = statusLineOf(resourceUrn);
  try {
    return await cancellable((signal) => run({ line, signal }));
  } catch (error) {
    throw error instanceof InitError ? error : bare(error instanceof Error ? error.message : String(error));
  } finally {
    await line.delivered();
  }
}

async function createResource(inputs: DeploymentInputs, config: StackConfig | undefined, { line, signal }: Operation) {
  const client = connect(settingsOf(inputs.connection, config), line.logger);
  let known: Deployment | undefined;
  try {
    const ensured = await create(client, declaredOf(inputs), {
      adopt: inputs.adopt,
      managedBy: markOf(inputs),
      signal,
      onProgress: line.onProgress,
      onDeployment: (deployment) => {
        known = deployment;
      },
    });
    known = ensured.deployment;
    const outs = await finish(client, ensured, inputs, "create", line, signal);
    return { id: known.id, outs };
  } catch (error) {
    if (known === undefined || error instanceof InitError) throw plain(error, client);
    throw initError(client, known, inputs, error);
  }
}

async function updateResource(
  id: string,
  olds: DeploymentState,
  news: DeploymentInputs,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const settings = settingsFor(olds, news.connection, config);
  const isForClientOnly = isDeepStrictEqual(platformInputsOf(olds), platformInputsOf(news));
  if (isForClientOnly && olds.drifted !== true && !isUnhealthy({ ...olds, wait: news.wait ?? true })) {
    return { outs: jsonSafe({ ...olds, ...storedInputs(news) }) };
  }
  const client = connect(settings, line.logger);
  let ensured: Ensured;
  try {
    ensured = await update(client, id, declaredOf(news), {
      previous: declaredOf(olds),
      unreadable: olds.secretsVersion === news.secretsVersion ? "same" : "changed",
      managedBy: markOf(news),
      redeploy: isDeepStrictEqual(olds.triggers, news.triggers) ? undefined : "triggers changed",
      pushedCommit: news.pushedCommit === olds.pushedCommit ? undefined : news.pushedCommit,
      signal,
      onProgress: line.onProgress,
    });
  } catch (error) {
    if (isGone(error, id)) {
      throw new Error(
        `Deployment ${news.name} (${id}) was deleted outside of Pulumi. Run \`pulumi refresh\`, then \`pulumi up\` to create it anew.`,
      );
    }
    // Nothing was changed: the state keeps the old inputs, so the next run tries again.
    throw plain(error, client);
  }
  return { outs: await finish(client, ensured, news, "update", line, signal) };
}

/** Waits for the rollout where that is wanted. Whatever goes wrong from here on keeps the id. */
async function finish(
  client: ControlPlane,
  ensured: Ensured,
  inputs: DeploymentInputs,
  step: "create" | "update",
  line: StatusLine,
  signal: AbortSignal,
): Promise<DeploymentState> {
  const { onProgress } = line;
  try {
    if (inputs.wait !== false) {
      const limit = inputs.timeouts?.[step];
      const timeoutMs = limit === undefined ? defaultRolloutLimits.timeoutMs : parseDuration(limit, `timeouts.${step}`);
      const live = await waitUntilLive(client, ensured, { limits: { timeoutMs }, signal, onProgress });
      if (live !== undefined) {
        warnOfNewerPush(inputs, live.revision.source_revision_config.repo_commit_sha, line);
        return jsonSafe({ ...storedInputs(inputs), ...outputsOf(client, live.deployment, live.revision) });
      }
    }
    const { deployment, revision } = await observe(client, ensured.deployment.id, { signal });
    return jsonSafe({ ...storedInputs(inputs), ...outputsOf(client, deployment, revision) });
  } catch (error) {
    throw initError(client, ensured.deployment, inputs, error);
  }
}

function warnOfNewerPush(inputs: DeploymentInputs, commit: string | null | undefined, line: StatusLine): void {
  const { pushedCommit } = inputs;
  if (pushedCommit === undefined || commit === undefined || commit === null || commit === pushedCommit) return;
  const message = `The revision that is live is of commit ${commit}, not ${pushedCommit}: the branch moved meanwhile.`;
  line.onProgress({ type: "warning", message });
}

async function readResource(
  id: string,
  props: DeploymentState,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const settings = settingsFor(props, props.connection, config);
  const client = connect(settings, line.logger);
  // An empty result would mean to the engine that a managed deployment is gone. A lookup, which has no outputs of ours yet, would succeed with it.
  const isLookup = props.name === undefined;
  try {
    const { deployment, revision } = await (isLookup ? lookUp : observe)(client, id, { signal });
    client.redactor.add(secretValuesOf(deployment, props.env));
    const { props: observed, inputs } = observedState(client, props, deployment, revision);
    return jsonSafe({ id, props: observed, inputs: inputs && withSecretsMarked(inputs) });
  } catch (error) {
    if (!isLookup && isGone(error, id)) return {};
    throw plain(error, client);
  }
}

async function deleteResource(
  id: string,
  props: DeploymentState,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const client = connect(settingsFor(props, props.connection, config), line.logger);
  const limit = props.timeouts?.delete;
  try {
    await deleteDeployment(client, id, {
      deleteTracingProject: props.deleteTracingProject,
      timeoutMs: limit === undefined ? defaultDeletionTimeoutMs : parseDuration(limit, "timeouts.delete"),
      signal,
      onProgress: line.onProgress,
    });
  } catch (error) {
    throw plain(error, client);
  }
}

function initError(client: ControlPlane, deployment: Deployment, inputs: DeploymentInputs, cause: unknown): InitError {
  if (cause instanceof InitError) return cause;
  const revisionStatus = (cause as { status?: unknown }).status;
  const outputs = outputsOf(client, deployment, undefined);
  const status = typeof revisionStatus === "string" ? revisionStatus : "UNKNOWN";
  return new InitError(
    deployment.id,
    // Marked, so that the next run looks even where it isn't to wait.
    { ...storedInputs(inputs), ...outputs, revisionStatus: status, drifted: true },
    plain(cause, client),
  );
}

/** An error that says the same and carries nothing else: an `id` or a numeric `code` on it would mean something to the dynamic provider. */
function plain(error: unknown, client: ControlPlane): Error {
  if (error instanceof InitError) return error;
  const message = client.redactor.text(error instanceof Error ? error.message : String(error));
  return bare(message);
}

/** An error whose text is all there is to read: the dynamic provider prints the name and the stack of what it is thrown. */
function bare(message: string): Error {
  const error = new Error(message);
  error.name = "";
  error.stack = "";
  return error;
}
