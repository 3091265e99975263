import { readMarker } from "../../../core/reconcile/ownership.ts";
import type { Entry } from "./driver.ts";
import type { Observed } from "./invariants.ts";

/** Updates the model's owners after a run. */
export function learnOwners(
  { model, stack, before, after, entriesBefore, entriesAfter }: Observed,
  wasKilled: boolean,
): void {
  const held = (entries: readonly Entry[], id: string) => entries.some((entry) => entry.id === id);
  for (const id of after.keys()) {
    const isNew = !before.has(id);
    const isTaken = held(entriesAfter, id) && !held(entriesBefore, id);
    if (!isNew && !isTaken) continue;
    const previous = model.owners.get(id);
    if (previous !== undefined && previous !== "elsewhere" && previous !== stack) {
      model.stacks[previous].unsettled.add("taken over");
    }
    model.owners.set(id, stack);
    model.abandoned.delete(id);
    // A killed provider couldn't report what it had just created.
    if (isNew && !held(entriesAfter, id) && wasKilled) model.abandoned.add(id);
  }
  for (const { id, urn } of entriesAfter) {
    // With `adopt`, of two resources with the same name either may release the deployment to the other.
    if (entriesAfter.some((other) => other.id === id && other.urn !== urn)) model.abandoned.add(id);
    const [then, now] = [before.get(id), after.get(id)];
    if (!wasKilled || then === undefined) continue;
    // No state has this marker, so a deletion releases such a deployment until a change takes it back.
    if (now !== undefined && readMarker(now.secrets) !== readMarker(then.secrets)) model.abandoned.add(id);
    // Nor could it report what it had just deleted: the entry stays until a refresh.
    if (now !== undefined) continue;
    model.deletedElsewhere.add(id);
    model.stacks[stack].unsettled.add("changed elsewhere");
  }
  for (const { id, retainOnDelete } of entriesBefore) {
    if (retainOnDelete && !held(entriesAfter, id)) model.abandoned.add(id);
  }
}
