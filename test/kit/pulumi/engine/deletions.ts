import type { Execution } from "./execution.ts";
import { deletionGroups, dependenciesOf, dependentsOf, type ResourceState } from "./state.ts";
import type { StepGenerator } from "./step-generator.ts";

/**
 * The end of a run. Deletes replaced resources, resources that an earlier run left pending, and resources that the
 * program no longer declares.
 */
export async function deleteUnneeded(execution: Execution, generator: StepGenerator): Promise<void> {
  const { base } = execution.snapshot;
  const allowed = allowedToDelete(base, generator);
  const doomed: ResourceState[] = [];
  for (const state of base) {
    if (allowed !== undefined && !allowed.has(state.urn)) continue;
    const isDoomed = state.delete ? !generator.deletedEarly.has(state) : !generator.isOperatedOn(state.urn);
    if (isDoomed) doomed.push(state);
  }
  for (const { urn } of doomed) {
    if (generator.targets.names(urn) || generator.targets.withDependents) continue;
    const message = `${urn} will be destroyed but isn't a target; name it, or pass --target-dependents`;
    if (!execution.preview) throw new Error(message);
    generator.errors.push(message);
  }
  await deleteInOrder(execution, doomed, generator);
}

/** With targets, only the targets and their dependents. */
function allowedToDelete(base: readonly ResourceState[], { targets }: StepGenerator): Set<string> | undefined {
  if (!targets.areConstrained) return undefined;
  const roots = base.filter(({ urn }) => targets.names(urn));
  const dependents = roots.flatMap((root) => dependentsOf(root, base, { withChildren: true }));
  return new Set([...roots, ...dependents].map(({ urn }) => urn));
}

async function deleteInOrder(
  execution: Execution,
  doomed: readonly ResourceState[],
  generator: StepGenerator,
): Promise<void> {
  const { base } = execution.snapshot;
  const deletedUrns = new Set([...generator.deleted, ...doomed.map(({ urn }) => urn)]);
  const kept = new Set<string>();
  for (const group of deletionGroups(doomed, base)) {
    for (const state of group.toReversed()) {
      if (kept.has(state.urn)) continue;
      if (state.pendingReplacement) {
        execution.removePendingReplacement(state);
        continue;
      }
      const outcome = await execution.delete(state, {
        replacing: state.delete,
        beforeCreation: false,
        deletedAlong: state.deletedWith !== "" && deletedUrns.has(state.deletedWith),
      });
      if (outcome === "deleted") continue;
      generator.errors.push(`${state.urn} is protected`);
      for (const urn of neededBy(state, base)) kept.add(urn);
    }
  }
}

/** The direct and indirect dependencies of the resources that stay. */
function neededBy(state: ResourceState, base: readonly ResourceState[]): Set<string> {
  const needed = new Set<string>();
  const visit = (one: ResourceState) => {
    for (const urn of [...dependenciesOf(one), one.parent]) {
      if (urn === "" || needed.has(urn)) continue;
      needed.add(urn);
      for (const other of base) if (other.urn === urn) visit(other);
    }
  };
  visit(state);
  return needed;
}
