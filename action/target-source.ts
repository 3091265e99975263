import type { Target, TargetInputs, TargetSource } from "./target.ts";

/** The inputs `ref` and `sha` win over the event's. The event's commit is only that of its own ref. */
export function withRef(
  inputs: TargetInputs,
  eventRef: string | undefined,
  eventCommit: string | undefined,
  isPush: boolean,
  target: (source: TargetSource) => Target,
): Target {
  const given = inputs.ref === undefined ? undefined : plainRef(inputs.ref);
  const ref = given ?? eventRef;
  if (ref === undefined && inputs.needsRef) {
    return refuse("ref", "The event names neither a branch nor a tag: name the ref to deploy.");
  }
  const isOwnRef = given === undefined || given === eventRef;
  return target({
    ref,
    commit: inputs.sha ?? (isOwnRef ? eventCommit : undefined),
    isPush: isPush && isOwnRef && ref !== undefined && !ref.startsWith("refs/tags/"),
  });
}

/** A branch by its bare name, a tag by its full ref; `undefined` for refs that are neither. */
export function plainRef(ref: string): string | undefined {
  if (ref.startsWith("refs/heads/")) return ref.slice("refs/heads/".length) || undefined;
  if (ref.startsWith("refs/tags/")) return ref;
  if (ref === "" || ref.startsWith("refs/")) return undefined;
  return ref;
}

export function refuse(input: string, reason: string): Target {
  return { kind: "refuse", input, reason };
}

export function skip(reason: string): Target {
  return { kind: "skip", reason };
}
