import type { DesiredDeployment } from "../core/declare/deployment.ts";
import { fields } from "../core/declare/deployment.ts";
import { declaredEntries } from "../core/reconcile/environment.ts";
import type { PlannedChange } from "./report.ts";

const reason = "is set when the deployment is created";

/** Everything that a creation sets; only the names of the environment, since its values may be secret. */
export function creationChanges(desired: DesiredDeployment, owner: string): PlannedChange[] {
  const changes: PlannedChange[] = fields
    .map((field) => ({ path: field.path, effect: "create" as const, reason, to: field.declared(desired) }))
    .filter(({ to }) => to !== undefined);
  const { resourceSpec } = desired.sourceConfig ?? {};
  if (resourceSpec !== undefined) {
    changes.push({ path: "sourceConfig.resourceSpec", effect: "create", reason, to: resourceSpec });
  }
  const names = declaredEntries(desired).map(({ name }) => name);
  const added = names.length === 0 ? "" : `adds ${names.join(", ")}; `;
  changes.push({ path: "secrets", effect: "create", reason: `${added}marks it as owned by ${owner}` });
  if (desired.secretReferences !== undefined) {
    changes.push({ path: "secretReferences", effect: "create", reason, to: desired.secretReferences });
  }
  return changes;
}
