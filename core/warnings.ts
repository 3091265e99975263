import type { OnProgress } from "./events.ts";

/** Warnings of one wait, each told once: what goes wrong there goes wrong at every look. */
export class Warnings {
  readonly #told = new Set<string>();
  readonly #onProgress: OnProgress | undefined;

  constructor(onProgress: OnProgress | undefined) {
    this.#onProgress = onProgress;
  }

  /** Tells `message` unless one for the same `reason` was told before. */
  once(reason: string, message: string): void {
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#onProgress?.({ type: "warning", message });
  }
}
