import { ConfigError } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { compareEnvironment, withKeptReferences } from "../core/reconcile/environment.ts";
import { creationChanges, planUpdate } from "../core/reconcile/plan.ts";
import { declare, droppableNames, droppableReferences, pushedCommitOf } from "./declaration.ts";
import { inInputNames, shownPath } from "./input-names.ts";
import { claimOf, ownerFor } from "./ownership.ts";
import type { Report } from "./report.ts";
import type { Session } from "./session.ts";
import type { TargetSource } from "./target.ts";

/** Reports what a deploy would change, or why it would be refused, without changing anything. */
export async function plan(session: Session, source: TargetSource): Promise<void> {
  const { client, inputs, report, console, progress, redactor, signal } = session;
  const desired = declare(inputs.declared, report.name, source);
  const { deployment } = await client.deployments.findByName(desired.name, { signal });
  if (deployment !== undefined) progress.reportDeployment(deployment);
  let refusal: string | undefined;
  try {
    report.plan =
      deployment === undefined
        ? { action: "create", changes: creationChanges(desired, ownerFor(session.event)) }
        : planChange(session, desired, deployment, source);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refusal = inInputNames(redactor.text(error.message));
  }
  const { action, changes } = report.plan ?? { action: undefined, changes: [] };
  if (action !== undefined) console.info(`Plan for ${desired.name}: ${action}`);
  for (const { path, reason } of changes) console.info(`  ${shownPath(path)}: ${inInputNames(reason)}`);
  if (action === "replace") {
    const names = changes.filter(({ effect }) => effect === "replace").map(({ path }) => shownPath(path));
    refusal = `${names.join(", ")} can't change on a deployment. Declare what is there, or use another name.`;
  }
  report.result = refusal === undefined ? "planned" : "failed";
  if (refusal !== undefined) report.message = `A deploy would be refused: ${refusal}`;
  else if (inputs.expectNoChanges && action !== "nothing") {
    report.result = "failed";
    report.message = `The plan has changes, and none were expected (expect-no-changes): ${action}.`;
  }
}

/** @throws {@link ConfigError} when a deploy would be refused */
function planChange(
  { inputs, console, event }: Session,
  declared: DesiredDeployment,
  deployment: Deployment,
  source: TargetSource,
): Report["plan"] {
  const { owner: marker } = claimOf(deployment, ownerFor(event), inputs, console);
  const { desired, dropped } = withKeptReferences(declared, deployment, droppableReferences(inputs));
  const options = { marker, droppable: droppableNames(inputs) };
  const { kept } = compareEnvironment(desired, deployment.secrets, options);
  const unreadable = pushedCommitOf(desired, deployment, source) === undefined ? "changed" : "same";
  const sent = planUpdate(desired, deployment, { ...options, unreadable });
  const { action, changes, droppedNames } = planUpdate(desired, deployment, options);
  if (kept.length > 0) {
    console.info(`Not declared, so kept in the environment: ${kept.map(({ name }) => name).join(", ")}.`);
  }
  const gone = [...droppedNames, ...dropped];
  if (gone.length > 0) console.warning(`A deploy drops from the environment: ${gone.join(", ")}.`);
  if (sent.changes.length > changes.length) {
    console.notice(
      "The platform hides values of the environment, so the plan can't tell whether they differ. A deploy sends them again.",
    );
  }
  return { action, changes };
}
