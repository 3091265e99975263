import type { ControlPlane } from "./client.ts";
import type { DesiredDeployment } from "./desired.ts";
import { Aborted, ConfigError, ResponseError } from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { looksAfterMs, mayHaveBeenCarriedOut, mostWrites } from "./lost-answer.ts";
import { readMarker } from "./ownership-marker.ts";
import { type Plan, type PlanOptions, planUpdate } from "./plan.ts";
import type { Redactor } from "./redact.ts";
import type { Deployment } from "./wire/deployment.ts";

export interface ApplicationOptions extends PlanOptions {
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
  /** Called once an ownership marker was written, or may have been. */
  onMarked?: ((marker: string) => void) | undefined;
}

export interface Application {
  deployment: Deployment;
  plan: Plan;
  /** The revision that the change made; `undefined` when it made none. */
  revisionId: string | undefined;
}

/**
 * Changes an observed deployment to the desired one with at most one PATCH that carries only what differs; no difference, no request. After a
 * lost answer the deployment is read again, and only what is still missing is sent.
 *
 * @throws {@link ConfigError} when a field differs that can't change; {@link ResponseError} when the platform made no revision although it
 * should have; the client's errors.
 */
export async function applyDesired(
  client: ControlPlane,
  desired: DesiredDeployment,
  observed: Deployment,
  options: ApplicationOptions = {},
): Promise<Application> {
  const { signal, onProgress } = options;
  const plan = planUpdate(desired, observed, options);
  if (plan.action === "replace") throw differsForEver(observed, plan, client.redactor);
  if (plan.patch === undefined) return { deployment: observed, plan, revisionId: undefined };
  if (plan.droppedNames.length > 0) {
    const message = `No longer declared, so dropped from the environment of ${observed.name}: ${plan.droppedNames.join(", ")}.`;
    onProgress?.({ type: "warning", message });
  }

  const marked = () => {
    if (plan.marker !== undefined) options.onMarked?.(plan.marker);
  };
  const makesRevision = plan.action === "revision";
  let patch = plan.patch;
  for (let write = 1; ; write += 1) {
    let answer: Deployment;
    try {
      answer = await client.patchDeployment(observed.id, patch, { signal, makesRevision });
      marked();
    } catch (error) {
      if (mayHaveBeenCarriedOut(error) || error instanceof Aborted) marked();
      if (!mayHaveBeenCarriedOut(error)) throw error;
      if (write === 1) {
        const message = `The answer to the change of ${observed.name} was lost; looking whether it was carried out.`;
        onProgress?.({ type: "warning", message });
      }
      if (write >= mostWrites) {
        const message = `The change of ${observed.name} was sent ${write} times without an answer; the last one may still be carried out.`;
        onProgress?.({ type: "warning", message });
        throw error;
      }
      const now = await lookAgain(client, desired, observed, options);
      if (now.rest !== undefined) {
        patch = now.rest;
        continue;
      }
      answer = now.deployment;
    }
    if (!makesRevision) return { deployment: answer, plan, revisionId: undefined };
    const deployment = await withNewRevision(client, observed, answer, signal);
    return { deployment, plan, revisionId: deployment.latest_revision_id ?? undefined };
  }
}

/** What the platform has after a lost answer, and what is still to be sent (`undefined`: nothing). */
async function lookAgain(
  client: ControlPlane,
  desired: DesiredDeployment,
  before: Deployment,
  options: ApplicationOptions,
): Promise<{ deployment: Deployment; rest: Plan["patch"] }> {
  const { signal } = options;
  let deployment = before;
  let rest: Plan["patch"];
  for (const pause of looksAfterMs) {
    await client.clock.sleep(pause, signal);
    deployment = await client.getDeployment(before.id, { signal });
    const hasNewRevision = deployment.latest_revision_id !== before.latest_revision_id;
    // Hidden values count as carried out once a revision appeared, except where a push could have made it.
    const previous = hasNewRevision && deployment.source_config.build_on_push !== true ? desired : options.previous;
    const redeploy = hasNewRevision ? undefined : options.redeploy;
    const isMarkerHidden = hasNewRevision && readMarker(deployment.secrets) === undefined;
    const takesOver = isMarkerHidden ? undefined : options.takesOver;
    rest = planUpdate(desired, deployment, { ...options, previous, redeploy, takesOver }).patch;
    if (rest === undefined) break;
  }
  return { deployment, rest };
}

/** The deployment as it is with the revision that a PATCH made: its `latest_revision_id` differs from the one before. */
async function withNewRevision(
  client: ControlPlane,
  before: Deployment,
  answer: Deployment,
  signal: AbortSignal | undefined,
): Promise<Deployment> {
  const isNew = ({ latest_revision_id: id }: Deployment) =>
    id !== undefined && id !== null && id !== before.latest_revision_id;
  if (isNew(answer)) return answer;
  for (const pause of looksAfterMs) {
    await client.clock.sleep(pause, signal);
    const deployment = await client.getDeployment(before.id, { signal });
    if (isNew(deployment)) return deployment;
  }
  throw new ResponseError(
    `Deployment ${before.name} (${before.id}) was changed, but the platform made no new revision.`,
    {
      path: "latest_revision_id",
      hint: "Look at the deployment's page, and run again.",
    },
  );
}

function differsForEver(observed: Deployment, plan: Plan, redactor: Redactor): ConfigError {
  const differences = plan.changes.filter((change) => change.effect === "replace");
  const list = differences
    .map(({ path, from, to }) => `${path} is ${JSON.stringify(from)} there and ${JSON.stringify(to)} here`)
    .join("; ");
  const message = `Deployment ${observed.name} (${observed.id}) can't become the declared one: ${list}.`;
  return new ConfigError(redactor.text(message), {
    path: differences[0]?.path ?? "name",
    hint: "These fields can't change on a deployment: declare them as they are there, or use another name.",
  });
}
