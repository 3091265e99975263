import { isDeepStrictEqual } from "node:util";
import type { ControlPlane } from "../core/client.ts";
import { defaultDeletionTimeoutMs, deleteDeployment } from "../core/deletion.ts";
import { parseDuration } from "../core/duration.ts";
import { isGone } from "../core/errors.ts";
import { create, type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import { defaultRolloutLimits } from "../core/rollout.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { cancellable } from "./cancellation.ts";
import { type CheckFailure, check } from "./check.ts";
import { connect, type StackConfig, settingsFor, settingsOf } from "./connection.ts";
import { type Difference, diff } from "./diff.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { outputsOf } from "./outputs.ts";
import { observedInputs, stateFromPlatform } from "./read.ts";
import {
  type DeploymentInputs,
  type DeploymentState,
  declaredOf,
  inputsOf,
  isUnhealthy,
  markOf,
  platformInputsOf,
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
      return jsonSafe(check(olds, news, config));
    },
    async diff(_id, olds, news) {
      return diff(olds, news, config);
    },
    create: (inputs) => cancellable((signal) => createResource(inputs, config, signal)),
    read: (id, props) => cancellable((signal) => readResource(id, props, config, signal)),
    update: (id, olds, news) => cancellable((signal) => updateResource(id, olds, news, config, signal)),
    delete: (id, props) => cancellable((signal) => deleteResource(id, props, config, signal)),
  };
}

async function createResource(inputs: DeploymentInputs, config: StackConfig | undefined, signal: AbortSignal) {
  const line = statusLineOf(inputs.urn);
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
  signal: AbortSignal,
) {
  const settings = settingsFor(olds, news.connection, config);
  const isForClientOnly = isDeepStrictEqual(platformInputsOf(olds), platformInputsOf(news));
  if (isForClientOnly && !isUnhealthy({ ...olds, wait: news.wait ?? true })) {
    return { outs: jsonSafe({ ...withoutInputs(olds), ...news }) };
  }
  const line = statusLineOf(news.urn);
  const client = connect(settings, line.logger);
  let ensured: Ensured;
  try {
    ensured = await update(client, id, declaredOf(news), {
      previous: declaredOf(olds),
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
        return jsonSafe({ ...inputs, ...outputsOf(client, live.deployment, live.revision) });
      }
    }
    const { deployment, revision } = await observe(client, ensured.deployment.id, { signal });
    return jsonSafe({ ...inputs, ...outputsOf(client, deployment, revision) });
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

async function readResource(id: string, props: DeploymentState, config: StackConfig | undefined, signal: AbortSignal) {
  const settings = settingsFor(props, props.connection, config);
  const client = connect(settings, statusLineOf(props.urn).logger);
  try {
    const { deployment, revision } = await observe(client, id, { signal });
    // A lookup by id (`Deployment.get`) has nothing declared.
    if (props.name === undefined)
      return { id, props: jsonSafe({ ...props, ...stateFromPlatform(client, deployment, revision) }) };
    const inputs = observedInputs(props, deployment);
    return jsonSafe({ id, props: { ...inputs, ...outputsOf(client, deployment, revision) }, inputs });
  } catch (error) {
    if (isGone(error, id)) return {};
    throw plain(error, client);
  }
}

async function deleteResource(
  id: string,
  props: DeploymentState,
  config: StackConfig | undefined,
  signal: AbortSignal,
) {
  const line = statusLineOf(props.urn);
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
  return new InitError(deployment.id, { ...inputs, ...outputs, revisionStatus: status }, plain(cause, client));
}

/** An error that says the same and carries nothing else: an `id` or a numeric `code` on it would mean something to the dynamic provider. */
function plain(error: unknown, client: ControlPlane): Error {
  if (error instanceof InitError) return error;
  const message = client.redactor.text(error instanceof Error ? error.message : String(error));
  const copy = new Error(message);
  copy.name = error instanceof Error ? error.name : "Error";
  copy.stack = `${copy.name}: ${message}`;
  return copy;
}

function withoutInputs(state: DeploymentState): Partial<DeploymentState> {
  const inputs = inputsOf(state);
  return Object.fromEntries(Object.entries(state).filter(([name]) => !Object.hasOwn(inputs, name)));
}
