import { ProjectLoadError } from "./project-load-error.ts";

/** Loads the parts of a project one after another, and reports all that don't load together. */
export class LoadAttempts {
  readonly #failures: unknown[] = [];

  async attempt(load: () => Promise<unknown>): Promise<void> {
    try {
      await load();
    } catch (error) {
      this.#failures.push(error);
    }
  }

  /** @throws what the only failed attempt threw, or {ProjectLoadError} with a line for each of several. */
  throwIfAnyFailed(): void {
    const messages = new Set(this.#failures.map((error) => (error instanceof Error ? error.message : String(error))));
    const [first] = this.#failures;
    if (messages.size === 1) throw first;
    if (messages.size > 1) throw new ProjectLoadError([...messages].join("\n"), { cause: first });
  }
}
