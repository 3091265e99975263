import { isDeepStrictEqual } from "node:util";
import { isGone, NameInUse } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import { deleteDeployment } from "../core/reconcile/apply.ts";
import { secretValuesOf } from "../core/reconcile/environment.ts";
import { newGeneration, ownershipClause, relationOf } from "../core/reconcile/ownership.ts";
import { type HeldDeployment, observeDeployment, reconcile } from "../core/reconcile/reconcile.ts";
import { parseTimeout } from "../core/time.ts";
import { connect, type StackConfig, settingsFor, settingsOf } from "./connection.ts";
import { refuseKeepingTheName } from "./diff.ts";
import { finish, type Held, initError, waitLimits } from "./finish.ts";
import { currentEntry, isHeldByAnother, isWanted, noteHolder, wanted } from "./holders.ts";
import { jsonSafe } from "./json-safe.ts";
import { lookUp } from "./lookup.ts";
import { explainNameInUse } from "./name-in-use.ts";
import { toPlainError } from "./plain-error.ts";
import { observedState } from "./read.ts";
import {
  claimOf,
  type DeploymentInputs,
  type DeploymentState,
  declaredNames,
  declaredOf,
  isUnhealthy,
  markerOf,
  observedOf,
  platformInputsOf,
  resourceOwner,
  storedInputs,
} from "./state.ts";
import type { Operation, StatusLine } from "./status-line.ts";
import { wrapSecrets } from "./wrapped-secrets.ts";

export async function createResource(
  inputs: DeploymentInputs,
  config: StackConfig | undefined,
  operation: Operation,
): Promise<{ id: string; outs: DeploymentState }> {
  const { line, signal } = operation;
  const client = connect(settingsOf(inputs.connection, config), line.logger);
  const owner = resourceOwner(inputs);
  const generation = newGeneration();
  const run = reconcile(client, declaredOf(inputs), {
    adopt: inputs.adopt,
    integration: inputs.integration,
    claim: owner === undefined ? undefined : { owner, generation },
    limits: waitLimits(inputs, "create"),
    signal,
    onProgress: line.onProgress,
    onExisting: (deployment, origin) => {
      if (origin === "kept") keepInsteadOfReplacing(inputs, deployment, line);
    },
  });
  const hold = ({ deployment, marker }: HeldDeployment): Held => {
    noteHolder(deployment.id, generation);
    return { deployment, ownershipMarker: marker, generation };
  };
  let held: Held | undefined;
  try {
    held = hold(await run.deployment);
    const started = await run.started;
    held = hold(started);
    if (started.origin === "adopted" && started.marker === undefined) {
      line.onProgress({ type: "warning", message: unprovenOwnership(started.deployment) });
    }
    return { id: held.deployment.id, outs: await finish(client, run, generation, inputs, operation) };
  } catch (error) {
    if (error instanceof NameInUse) {
      noteHolder(error.deploymentId, wanted);
      throw toPlainError(explainNameInUse(error, inputs.resourceUrn), client);
    }
    throw held === undefined ? toPlainError(error, client) : initError(client, held, inputs, error);
  }
}

/** Called when a replacement that the engine decided on finds the old entry's deployment, which still has the name. */
function keepInsteadOfReplacing(inputs: DeploymentInputs, { name, id }: Deployment, line: StatusLine): void {
  const message = `Deployment ${name} (${id}) is live and carries the marker of this resource`;
  if (inputs.adopt !== true) {
    refuseKeepingTheName(inputs, message, "Set `adopt` to keep using it, or remove the option");
  }
  const kept = `${message}: kept, not replaced. Set the resource option deleteBeforeReplace: true for an empty one.`;
  line.onProgress({ type: "warning", message: kept });
}

function unprovenOwnership({ name, id }: Deployment): string {
  return `Deployment ${name} (${id}) is adopted without an ownership marker: the platform hides values of its environment that would have to be sent along. So ownership can't be shown, and another program may change or delete it.`;
}

export async function updateResource(
  id: string,
  olds: DeploymentState,
  news: DeploymentInputs,
  config: StackConfig | undefined,
  operation: Operation,
): Promise<{ outs: DeploymentState }> {
  const { line, signal } = operation;
  const { generation } = olds;
  noteHolder(id, generation ?? currentEntry);
  const settings = settingsFor(olds, news.connection, config);
  // Only the platform knows the current owner.
  const mayTakeBack = news.adopt === true && olds.adopt !== true;
  const isForClientOnly = !mayTakeBack && isDeepStrictEqual(platformInputsOf(olds), platformInputsOf(news));
  if (isForClientOnly && olds.drifted !== true && !isUnhealthy({ ...olds, wait: news.wait ?? true })) {
    // The URN may have changed, so that it no longer shows which marker was written.
    return { outs: jsonSafe({ ...observedOf(olds), ...storedInputs(news), ownershipMarker: markerOf(olds) }) };
  }
  const client = connect(settings, line.logger);
  const run = reconcile(client, declaredOf(news), {
    id,
    previous: declaredOf(olds),
    droppable: declaredNames(olds),
    unreadable: olds.secretsVersion === news.secretsVersion ? "same" : "changed",
    claim: claimOf(olds, news),
    adopt: news.adopt,
    redeploy: isDeepStrictEqual(olds.triggers, news.triggers) ? undefined : "triggers changed",
    pushedCommit: news.pushedCommit === olds.pushedCommit ? undefined : news.pushedCommit,
    limits: waitLimits(news, "update"),
    signal,
    onProgress: line.onProgress,
  });
  try {
    await run.started;
  } catch (error) {
    if (isGone(error, id)) {
      throw new Error(
        `Deployment ${news.name} (${id}) was deleted outside of Pulumi. Run \`pulumi refresh\`, then \`pulumi up\` to create it again.`,
      );
    }
    // Nothing was changed. The state keeps the old inputs, so the next run retries.
    throw toPlainError(error, client);
  }
  return { outs: await finish(client, run, generation, news, operation) };
}

const heldByNewer = "which a newer creation or adoption of the same owner holds";

export async function readResource(
  id: string,
  props: DeploymentState,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const settings = settingsFor(props, props.connection, config);
  const client = connect(settings, line.logger);
  // To the engine, an empty result means that a managed deployment is gone. A lookup, which has no outputs yet, would
  // succeed with it.
  const isLookup = props.name === undefined;
  try {
    const { deployment, revision } = await (isLookup ? lookUp : observeDeployment)(client, id, { signal });
    client.redactor.add(secretValuesOf(deployment, props.env));
    const claim = isLookup || props.lookedUp === true ? undefined : claimOf(props);
    const relation = claim && relationOf(deployment, claim);
    const warn = (what: string) =>
      line.onProgress({ type: "warning", message: `Deployment ${deployment.name} (${id}), ${what}.` });
    if (relation === "foreign")
      warn(`${ownershipClause(deployment)}, can't be changed or deleted from here any longer`);
    if (relation === "older") warn(`${heldByNewer}, won't be deleted from here until a change takes it back`);
    const { props: observed, inputs } = observedState(client, props, deployment, revision);
    return jsonSafe({ id, props: observed, inputs: inputs && wrapSecrets(inputs) });
  } catch (error) {
    if (!isLookup && isGone(error, id)) return {};
    throw toPlainError(error, client);
  }
}

export async function deleteResource(
  id: string,
  props: DeploymentState,
  config: StackConfig | undefined,
  { line, signal }: Operation,
) {
  const client = connect(settingsFor(props, props.connection, config), line.logger);
  const release = (why: string) => {
    const message = `Deployment ${props.name} (${id}), ${why}, is released, not deleted.`;
    line.onProgress({ type: "warning", message });
  };
  // With `--continue-on-error` the engine continues after the refusal, and deletes what seems to be removed.
  if (isWanted(id)) {
    throw new Error(
      `Deployment ${props.name} (${id}) isn't deleted: a creation under its name was refused in this run. Settle that first, as its message says, and run again.`,
    );
  }
  if (isHeldByAnother(id, props.generation)) return release("which a newer entry of this state holds");
  const limit = props.timeouts?.delete;
  try {
    const claim = claimOf(props);
    const deployment = await client.deployments.get(id, { signal });
    client.redactor.add(secretValuesOf(deployment, props.env));
    const relation = claim === undefined ? "own" : relationOf(deployment, claim);
    if (relation === "older") return release(heldByNewer);
    if (relation === "foreign") return release(ownershipClause(deployment));
    await deleteDeployment(client, id, {
      deleteTracingProject: props.deleteTracingProject,
      timeoutMs: limit === undefined ? undefined : parseTimeout(limit, "timeouts.delete"),
      signal,
      onProgress: line.onProgress,
    });
  } catch (error) {
    if (isGone(error, id)) return;
    throw toPlainError(error, client);
  }
}
