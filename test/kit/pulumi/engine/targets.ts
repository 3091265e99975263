import { dependenciesOf, type ResourceState } from "./state.ts";

/** The resources that a run is limited to; without any, all. */
export class Targets {
  readonly areConstrained: boolean;
  readonly #named: ReadonlySet<string>;
  readonly #withDependents: boolean;
  /** The targets and, with `--target-dependents`, their dependents. */
  readonly #reached: Set<string>;

  constructor(urns: readonly string[] | undefined, withDependents: boolean) {
    this.areConstrained = urns !== undefined;
    this.#named = new Set(urns);
    this.#withDependents = withDependents;
    this.#reached = new Set(urns);
  }

  get urns(): readonly string[] {
    return [...this.#named];
  }

  get withDependents(): boolean {
    return this.#withDependents;
  }

  names(urn: string): boolean {
    return !this.areConstrained || this.#named.has(urn);
  }

  includes(state: ResourceState): boolean {
    if (this.names(state.urn)) return true;
    if (!this.#withDependents) return false;
    return [...dependenciesOf(state), state.parent].some((urn) => this.#reached.has(urn));
  }

  record(state: ResourceState, isTargeted: boolean): void {
    if (isTargeted) this.#reached.add(state.urn);
  }
}
