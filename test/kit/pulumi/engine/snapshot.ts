import { nameOf, qualifiedTypeOf, type ResourceState, withParent, withUrns } from "./state.ts";

/**
 * The state of a stack during a run, as it would be written after each step: the results so far, then the rest of the
 * state before.
 */
export class Snapshot {
  readonly base: readonly ResourceState[];
  #made: ResourceState[] = [];
  readonly #done = new Set<ResourceState>();

  constructor(base: readonly ResourceState[]) {
    this.base = base;
  }

  /** Records that `state` was deleted, or replaced by a newer entry. */
  recordDone(state: ResourceState): void {
    this.#done.add(state);
  }

  recordNew(state: ResourceState): void {
    this.#made.push(state);
  }

  /** The state to write now, with current URNs where an alias was used. */
  resources(): ResourceState[] {
    this.#made = this.#made.filter((state) => !this.#done.has(state));
    return withTodaysUrns([...this.#made, ...this.base.filter((state) => !this.#done.has(state))]);
  }
}

function withTodaysUrns(resources: readonly ResourceState[]): ResourceState[] {
  const today = new Map<string, string>();
  for (const { urn, alias, parent } of resources) {
    if (alias !== undefined) today.set(alias, urn);
    const newParent = today.get(parent);
    if (newParent !== undefined && newParent !== "") today.set(urn, withParent(urn, newParent));
  }
  const fixed = (urn: string) => today.get(urn) ?? urn;
  return resources.map((state) => ({ ...(today.size === 0 ? state : withUrns(state, fixed)), alias: undefined }));
}

/**
 * @throws Error for a state that the engine would refuse to write: two resources with one URN, or a dangling reference
 */
export function verify(resources: readonly ResourceState[]): void {
  const living = new Set<string>();
  const present = new Set<string>();
  for (const { urn, parent, delete: isDoomed } of resources) {
    if (!isDoomed && living.has(urn)) throw new Error(`snapshot integrity failure: ${urn} is there twice`);
    if (parent !== "" && !present.has(parent)) {
      throw new Error(
        `snapshot integrity failure: child ${nameOf(urn)} refers to missing parent ${qualifiedTypeOf(parent)}`,
      );
    }
    if (!isDoomed) living.add(urn);
    present.add(urn);
  }
}
