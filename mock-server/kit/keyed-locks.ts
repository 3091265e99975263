/** Runs the changes of one resource one after another, so that none reads what another is about to replace. */
export class KeyedLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `task` once those that were given before it for the same key have ended, however they ended. Returns what it does. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const result = before ? before.then(task) : task();
    const release = () => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    const tail: Promise<void> = result.then(release, release);
    this.#tails.set(key, tail);
    return result;
  }
}
