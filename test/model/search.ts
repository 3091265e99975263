import fc from "fast-check";
import type { Step } from "./commands.ts";
import { runSequence, sequences } from "./sequence.ts";
import { Violation } from "./violation.ts";
import type { World } from "./world.ts";

/** A sequence that breaks an invariant, as short as it could be made. */
export interface Finding {
  /** Generates the sequence again. */
  readonly seed: number;
  /** How many steps had been taken in all when it broke. */
  readonly afterSteps: number;
  readonly violation: Violation;
  readonly steps: readonly Step[];
}

export interface SearchOptions {
  /** Of the first sequence; each following one has the next number. */
  readonly seed: number;
  /** Ends once so many steps were taken. */
  readonly steps: number;
  /** @default 25 */
  readonly maxCommands?: number;
  /** How long one sequence is made shorter, in milliseconds. @default 120000 */
  readonly shrinkMs?: number;
  /** Violations to pass over. */
  readonly isKnown?: (violation: Violation) => boolean;
}

/** Runs random sequences until one breaks an invariant, and shortens it; `undefined` when none did. The same options give the same result. */
export async function search(world: World, options: SearchOptions): Promise<Finding | undefined> {
  const { maxCommands = 25, shrinkMs = 120_000, isKnown = () => false } = options;
  let taken = 0;
  for (let seed = options.seed; taken < options.steps; seed += 1) {
    let first: Violation | undefined;
    let last: Violation | undefined;
    let afterSteps = taken;
    const property = fc.asyncProperty(sequences(maxCommands), async (commands) => {
      const isShrinking = first !== undefined;
      try {
        await runSequence(commands, world);
        if (!isShrinking) taken += ran(commands).length;
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        if (!isShrinking) {
          taken += ran(commands).length;
          afterSteps = taken;
          if (isKnown(error)) return;
        }
        first ??= error;
        // Only a sequence that breaks the same is a shorter form of it.
        if (error.kind !== first.kind || isKnown(error)) return;
        last = error;
        throw error;
      }
    });
    const details = await fc.check(property, {
      seed,
      numRuns: 1,
      interruptAfterTimeLimit: shrinkMs,
      markInterruptAsFailure: false,
    });
    if (first === undefined && details.failed) throw details.errorInstance ?? new Error("the search failed");
    const [commands] = details.counterexample ?? [];
    if (last === undefined || commands === undefined) continue;
    return { seed, afterSteps, violation: last, steps: ran(commands) };
  }
  return undefined;
}

/** The steps that were taken. */
function ran(commands: Iterable<unknown>): Step[] {
  return [...commands]
    .filter((command) => (command as { hasRan?: boolean }).hasRan === true)
    .map((command) => JSON.parse(String(command)) as Step);
}
