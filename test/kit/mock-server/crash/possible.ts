/**
 * The states that something may have: one, or after a change whose response never arrived, either of two. `undefined`:
 * it isn't there.
 */
export class Possible<State> {
  #states: readonly (State | undefined)[] = [undefined];

  /** The state, where it is known. */
  get known(): State | undefined {
    return this.#states[0];
  }

  /** A change is on its way. */
  begin(state: State | undefined): void {
    this.#states = [...this.#states, state];
  }

  /** The server has acknowledged what it is. */
  acknowledge(state: State | undefined): void {
    this.#states = [state];
  }

  /** What was found is one of the states, and the only one from now on. Returns whether it was. */
  settle(found: State | undefined): boolean {
    const isPossible = this.#states.some((state) => JSON.stringify(state) === JSON.stringify(found));
    this.#states = [found];
    return isPossible;
  }

  toString(): string {
    return this.#states.map((state) => JSON.stringify(state) ?? "absent").join(" or ");
  }
}
