import { isDeepStrictEqual } from "node:util";
import type { ControlPlane } from "../core/client.ts";
import { ownedBy } from "../core/creation.ts";
import { defaultDeletionTimeoutMs, deleteDeployment } from "../core/deletion.ts";
import { parseDuration } from "../core/duration.ts";
import { secretValuesOf } from "../core/environment.ts";
import { isGone, NameInUse } from "../core/errors.ts";
import { relationOf } from "../core/ownership.ts";
import { newGeneration } from "../core/ownership-marker.ts";
import { create, type Ensured, observe, update, waitUntilLive } from "../core/reconcile.ts";
import { defaultRolloutLimits } from "../core/rollout-limits.ts";
import type { Deployment } from "../core/wire/deployment.ts";
import { cancellable } from "./cancellation.ts";
import { type CheckFailure, check } from "./check.ts";
import { connect, type StackConfig, settingsFor, settingsOf } from "./connection.ts";
import { type Difference, diff, refuseKeepingTheName, warningsOf } from "./diff.ts";
import { isHeldByAnother, noteHolder } from "./holders.ts";
import { InitError } from "./init-error.ts";
import { jsonSafe } from "./json-safe.ts";
import { explainNameInUse } from "./name-in-use.ts";
import { outputsOf } from "./outputs.ts";
import { observedState } from "./read.ts";
import {
  claimOf,
  type DeploymentInputs,
  type DeploymentState,
  declaredNames,
  declaredOf,
  isUnhealthy,
  observedOf,
  ownerOf,
  platformInputsOf,
  storedInputs,
} from "./state.ts";
import { type StatusLine, statusLineOf } from "./status-line.ts";
import { isUnknown } from "./unknown.ts";

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
      const checked = jsonSafe(check(olds, news, config));
      const isCreation = olds?.name === undefined;
      if (isCreation && checked.inputs.adopt === true)
        await tell(checked.inputs, "note", [adoptionNote(checked.inputs)]);
      return checked;
    },
    async diff(id, olds, news) {
      noteHolder(id, olds.generation);
      const difference = differenceOf(olds, news, config);
      await tell(news, "warning", warningsOf(olds, news, difference));
      return difference;
    },
    create: (inputs) => operate(inputs, (run) => createResource(inputs, config, run)),
    read: (id, props) => operate(props, (run) => readResource(id, props, config, run)),
    update: (id, olds, news) => operate(news, (run) => updateResource(id, olds, news, config, run)),
    delete: (id, props) => operate(props, (run) => deleteResource(id, props, config, run)),
  };
}

/** The preview of a creation makes no request, so it can't tell whether there is something to take over. */
function adoptionNote({ name }: DeploymentInputs): string {
  const label = isUnknown(name) ? "of this name" : name;
  return `\`adopt\` takes a deployment ${label} over if there is one: it gets one revision with the ownership marker, and environment entries that aren't declared stay.`;
}

async function tell(inputs: DeploymentInputs, type: "note" | "warning", messages: readonly string[]): Promise<void> {
  const line = statusLineOf(inputs.resourceUrn);
  for (const message of messages) line.onProgress({ type, message });
  await line.delivered();
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
  const owner = ownerOf(inputs);
  const generation = newGeneration();
  let known: Held | undefined;
  const hold = ({ deployment, marker }: Pick<Ensured, "deployment" | "marker">) => {
    known = { deployment, ownershipMarker: marker, generation };
    noteHolder(deployment.id, generation);
  };
  try {
    const ensured = await create(client, declaredOf(inputs), {
      adopt: inputs.adopt,
      claim: owner === undefined ? undefined : { owner, generation },
      signal,
      onProgress: line.onProgress,
      onDeployment: hold,
      onExisting: ({ name, id }, origin) => {
        if (origin !== "kept") return;
        const message = `Deployment ${name} (${id}) is live and carries the marker of this resource`;
        if (inputs.adopt !== true) refuseKeepingTheName(inputs, message);
        const kept = `${message}: kept, not replaced. Set the resource option deleteBeforeReplace: true for an empty one.`;
        line.onProgress({ type: "warning", message: kept });
      },
    });
    hold(ensured);
    if (ensured.origin === "adopted" && ensured.marker === undefined) {
      line.onProgress({ type: "warning", message: unprovenOwnership(ensured.deployment) });
    }
    const outs = await finish(client, { ...ensured, generation }, inputs, "create", line, signal);
    return { id: ensured.deployment.id, outs };
  } catch (error) {
    if (error instanceof NameInUse) throw plain(explainNameInUse(error, inputs.resourceUrn), client);
    if (known === undefined || error instanceof InitError) throw plain(error, client);
    throw initError(client, known, inputs, error);
  }
}

function unprovenOwnership({ name, id }: Deployment): string {
  return `Deployment ${name} (${id}) is adopted without an ownership marker: the platform hides values of its environment that would have to be sent along. So ownership can't be shown, and another program may change or delete it.`;
}

async function updateResource(
  id: string,
  olds: DeploymentState,
  news: DeploymentInputs,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const { generation } = olds;
  noteHolder(id, generation);
  const settings = settingsFor(olds, news.connection, config);
  const isForClientOnly = isDeepStrictEqual(platformInputsOf(olds), platformInputsOf(news));
  if (isForClientOnly && olds.drifted !== true && !isUnhealthy({ ...olds, wait: news.wait ?? true })) {
    return { outs: jsonSafe({ ...observedOf(olds), ...storedInputs(news) }) };
  }
  const client = connect(settings, line.logger);
  let ensured: Ensured;
  try {
    ensured = await update(client, id, declaredOf(news), {
      previous: declaredOf(olds),
      droppable: declaredNames(olds),
      unreadable: olds.secretsVersion === news.secretsVersion ? "same" : "changed",
      claim: claimOf(olds, news),
      adopt: news.adopt,
      redeploy: isDeepStrictEqual(olds.triggers, news.triggers) ? undefined : "triggers changed",
      pushedCommit: news.pushedCommit === olds.pushedCommit ? undefined : news.pushedCommit,
      signal,
      onProgress: line.onProgress,
    });
  } catch (error) {
    if (isGone(error, id)) {
      throw new Error(
        `Deployment ${news.name} (${id}) was deleted outside of Pulumi. Run \`pulumi refresh\`, then \`pulumi up\` to create it again.`,
      );
    }
    // Nothing was changed: the state keeps the old inputs, so the next run tries again.
    throw plain(error, client);
  }
  return { outs: await finish(client, { ...ensured, generation }, news, "update", line, signal) };
}

/** A deployment, and how this entry of the state holds it. */
interface Held extends Pick<DeploymentState, "ownershipMarker" | "generation"> {
  deployment: Deployment;
}

/** Waits for the rollout where that is wanted. Whatever goes wrong from here on keeps the id. */
async function finish(
  client: ControlPlane,
  ensured: Ensured & Pick<DeploymentState, "generation">,
  inputs: DeploymentInputs,
  step: "create" | "update",
  line: StatusLine,
  signal: AbortSignal,
): Promise<DeploymentState> {
  const { onProgress } = line;
  const holding = { ownershipMarker: ensured.marker, generation: ensured.generation };
  const stored = { ...storedInputs(inputs), ...holding };
  try {
    if (inputs.wait !== false) {
      const limit = inputs.timeouts?.[step];
      const timeoutMs = limit === undefined ? defaultRolloutLimits.timeoutMs : parseDuration(limit, `timeouts.${step}`);
      const live = await waitUntilLive(client, ensured, { limits: { timeoutMs }, signal, onProgress });
      if (live !== undefined) {
        warnOfNewerPush(inputs, live.revision.source_revision_config.repo_commit_sha, line);
        return jsonSafe({ ...stored, ...outputsOf(client, live.deployment, live.revision) });
      }
    }
    const { deployment, revision } = await observe(client, ensured.deployment.id, { signal });
    return jsonSafe({ ...stored, ...outputsOf(client, deployment, revision) });
  } catch (error) {
    throw initError(client, { ...holding, deployment: ensured.deployment }, inputs, error);
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
  try {
    const { deployment, revision } = await observe(client, id, { signal });
    client.redactor.add(secretValuesOf(deployment, props.env));
    return jsonSafe({ id, ...observedState(client, props, deployment, revision) });
  } catch (error) {
    if (isGone(error, id)) return {};
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
  const letGo = (why: string) => {
    const message = `Deployment ${props.name} (${id}) is let go of, not deleted: ${why}.`;
    line.onProgress({ type: "warning", message });
  };
  if (isHeldByAnother(id, props.generation)) return letGo("a newer entry of this state holds it");
  const limit = props.timeouts?.delete;
  try {
    const claim = claimOf(props);
    const deployment = await client.getDeployment(id, { signal });
    const relation = claim === undefined ? "own" : relationOf(deployment, claim);
    if (relation === "older") return letGo("a newer creation or adoption of the same owner holds it");
    if (relation === "foreign") return letGo(ownedBy(deployment));
    await deleteDeployment(client, id, {
      deleteTracingProject: props.deleteTracingProject,
      timeoutMs: limit === undefined ? defaultDeletionTimeoutMs : parseDuration(limit, "timeouts.delete"),
      signal,
      onProgress: line.onProgress,
    });
  } catch (error) {
    if (isGone(error, id)) return;
    throw plain(error, client);
  }
}

function initError(client: ControlPlane, held: Held, inputs: DeploymentInputs, cause: unknown): InitError {
  if (cause instanceof InitError) return cause;
  const { deployment, ...holding } = held;
  const revisionStatus = (cause as { status?: unknown }).status;
  const outputs = outputsOf(client, deployment, undefined);
  const status = typeof revisionStatus === "string" ? revisionStatus : "UNKNOWN";
  return new InitError(
    deployment.id,
    // Marked, so that the next run looks even where it isn't to wait.
    { ...storedInputs(inputs), ...holding, ...outputs, revisionStatus: status, drifted: true },
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
