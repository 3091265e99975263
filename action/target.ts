import type { Operation } from "./operations.ts";

/** What to do, decided from the event and the inputs alone. */
export type Target =
  | { kind: "skip"; reason: string }
  | { kind: "refuse"; input: string; reason: string }
  | { kind: "deploy"; source: TargetSource }
  | { kind: "preview"; source: TargetSource; pullRequest: number }
  | { kind: "plan"; source: TargetSource; pullRequest?: number }
  | { kind: "redeploy" }
  /** `onlyRef`: the ref that the event is about; a deployment of another ref is skipped. */
  | { kind: "delete"; onlyRef?: string }
  /** `isFork`: the run may have no credentials, and then there is no preview. */
  | { kind: "delete-preview"; pullRequest: number; isFork: boolean }
  | { kind: "sweep" }
  /** The event names a pull request without its head: look it up on GitHub, then decide again. */
  | { kind: "look-up"; pullRequest: number };

/** The code to deploy. */
export interface TargetSource {
  /** A branch by its short name, a tag as `refs/tags/<tag>`; `undefined` only for an image. */
  ref: string | undefined;
  /** The commit that the event is about; `undefined` if only the ref is known. */
  commit: string | undefined;
  /** Whether the event pushed the branch, so that a platform that builds on push builds this commit by itself. */
  isPush: boolean;
}

export interface TargetInputs {
  operation: Operation;
  ref?: string | undefined;
  sha?: string | undefined;
  /** The pull request, for events that have none. */
  pullRequest?: number | undefined;
  /** False for an image, which has no ref. */
  needsRef: boolean;
}

/** The target with the inputs `ref` and `sha`, or else the event's. The event's commit counts only for its own ref. */
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

/** A branch's short name or a tag's full ref; `undefined` for other refs. */
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
