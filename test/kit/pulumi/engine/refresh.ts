import { type StepTaken, textOf } from "./execution.ts";
import type { ProviderCalls } from "./provider-calls.ts";
import { type ResourceState, withoutDanglingReferences } from "./state.ts";
import { withSecretOutputs } from "./values.ts";

/**
 * Reads every resource, including pending deletions. Missing ones leave the state. One that can't be read stays
 * unchanged, and fails the run at the end.
 */
export async function refreshed(
  resources: readonly ResourceState[],
  calls: ProviderCalls,
  isTarget: (urn: string) => boolean,
): Promise<{ resources: ResourceState[]; steps: StepTaken[] }> {
  const steps: StepTaken[] = [];
  const kept: ResourceState[] = [];
  for (const old of resources) {
    if (!isTarget(old.urn) || !old.custom || old.pendingReplacement) {
      kept.push(old);
      continue;
    }
    const { urn, id } = old;
    try {
      const state = await readBack(old, calls);
      if (state !== undefined) kept.push(state);
      steps.push({ operation: state === undefined ? "delete" : "refresh", urn, id });
    } catch (error) {
      kept.push(old);
      steps.push({ operation: "refresh", urn, id, error: textOf(error) });
    }
  }
  return { resources: withoutDanglingReferences(kept), steps };
}

async function readBack(old: ResourceState, calls: ProviderCalls): Promise<ResourceState | undefined> {
  const found = await calls.read(old.urn, old.id, old.outputs, old.inputs);
  if (found.id === "") return undefined;
  const inputs = found.inputs ?? old.inputs;
  const outputs = withSecretOutputs(found.outputs, inputs, old.additionalSecretOutputs);
  // Shows what the next run would change, without an effect.
  if (!old.external) await calls.diff(old.urn, found.id, found.outputs, old.inputs);
  return { ...old, id: found.id, inputs, outputs, initErrors: [] };
}
