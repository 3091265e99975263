/** A broken invariant. There are few kinds, so that they show whether two sequences break the same one. */
export type ViolationKind =
  | "a state holds what the platform hasn't"
  | "a state holds one deployment twice"
  | "what belongs to somebody else was changed"
  | "what belongs to somebody else was deleted"
  | "a secret stands in the open"
  | "a deletion was not announced"
  | "a deletion had no cause"
  | "a preview or a refresh changed something"
  | "what is declared isn't there"
  | "the next run isn't empty"
  | "a deployment is in no state"
  | "what somebody else added is gone"
  | "a preview refuses what works"
  | "a run failed without a reason";

export class Violation extends Error {
  readonly kind: ViolationKind;

  constructor(kind: ViolationKind, details: string) {
    super(`${kind}: ${details}`);
    this.name = "Violation";
    this.kind = kind;
  }
}
