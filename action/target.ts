import type { Operation } from "./operations.ts";

/** What is to be done, decided from the event and the inputs alone. */
export type Target =
  | { kind: "skip"; reason: string }
  | { kind: "refuse"; input: string; reason: string }
  | { kind: "deploy"; source: TargetSource }
  | { kind: "preview"; source: TargetSource; pullRequest: number }
  | { kind: "plan"; source: TargetSource; pullRequest?: number }
  | { kind: "redeploy" }
  /** `onlyRef`: the event is about this ref, so a deployment of another one isn't meant. */
  | { kind: "delete"; onlyRef?: string }
  /** `isFork`: the run may have no credentials, and then nothing can have been made. */
  | { kind: "delete-preview"; pullRequest: number; isFork: boolean }
  | { kind: "sweep" }
  /** The event names a pull request without its head: ask GitHub, and decide again with what it says. */
  | { kind: "look-up"; pullRequest: number };

/** The code that is to go live. */
export interface TargetSource {
  /** A branch by its bare name, a tag as `refs/tags/<tag>`; `undefined` only where none is needed (an image). */
  ref: string | undefined;
  /** The commit that the event is about; `undefined` where only the ref is known. */
  commit: string | undefined;
  /** The event moved the branch, so a platform that builds on push builds this commit by itself. */
  isPush: boolean;
}

export interface TargetInputs {
  operation: Operation;
  ref?: string | undefined;
  sha?: string | undefined;
  /** The pull request that is meant where the event has none. */
  pullRequest?: number | undefined;
  /** False for an image, which comes from no ref. */
  needsRef: boolean;
}

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
