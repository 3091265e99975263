/**
 * The states that an object may have: one, or after a change whose outcome is unknown, two. `undefined`: it doesn't
 * exist.
 */
export class Possible<State> {
  #states: readonly (State | undefined)[] = [undefined];

  /** The state, if it is known. */
  get known(): State | undefined {
    return this.#states[0];
  }

  /** Records that a change was sent. */
  begin(state: State | undefined): void {
    this.#states = [...this.#states, state];
  }

  /** Records the state that the server has acknowledged. */
  acknowledge(state: State | undefined): void {
    this.#states = [state];
  }

  /** Narrows the possible states to the observed one. Returns whether it was possible. */
  settle(found: State | undefined): boolean {
    const isPossible = this.#states.some((state) => JSON.stringify(state) === JSON.stringify(found));
    this.#states = [found];
    return isPossible;
  }

  toString(): string {
    return this.#states.map((state) => JSON.stringify(state) ?? "absent").join(" or ");
  }
}
