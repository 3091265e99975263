import { readMarker } from "../../../core/reconcile/ownership.ts";
import type { Entry } from "./driver.ts";
import type { Observed } from "./invariants.ts";

/** Who has what after a run. */
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
    // Nobody could write down what a killed provider had just made.
    if (isNew && !held(entriesAfter, id) && wasKilled) model.abandoned.add(id);
  }
  for (const { id, urn } of entriesAfter) {
    // Two resources to which one program gave one name, with `adopt`: each may let go of the deployment for the other.
    if (entriesAfter.some((other) => other.id === id && other.urn !== urn)) model.abandoned.add(id);
    const [then, now] = [before.get(id), after.get(id)];
    if (!wasKilled || then === undefined) continue;
    // A marker that no state knows of: a deletion lets go of such a deployment, until a change takes it back.
    if (now !== undefined && readMarker(now.secrets) !== readMarker(then.secrets)) model.abandoned.add(id);
    // Nor what it had just deleted: the entry stays, and only a refresh tells.
    if (now !== undefined) continue;
    model.deletedElsewhere.add(id);
    model.stacks[stack].unsettled.add("changed elsewhere");
  }
  for (const { id, retainOnDelete } of entriesBefore) {
    if (retainOnDelete && !held(entriesAfter, id)) model.abandoned.add(id);
  }
}
