/** Serializes tasks with the same key, such as changes of one resource. */
export class KeyedLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `task` after all earlier tasks with the same key have settled. Returns its result. */
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
