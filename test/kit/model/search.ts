import fc from "fast-check";
import type { Step } from "./commands.ts";
import { replay, runSequence, sequences } from "./sequence.ts";
import { shorten } from "./shorten.ts";
import { Violation } from "./violation.ts";
import type { World } from "./world.ts";

/** A sequence that breaks an invariant, shortened as far as possible. */
export interface Finding {
  /** Generates the sequence again. */
  readonly seed: number;
  /** The total number of steps until it broke. */
  readonly afterSteps: number;
  readonly violation: Violation;
  readonly steps: readonly Step[];
}

export interface SearchOptions {
  /** The seed of the first sequence; each following one has the next number. */
  readonly seed: number;
  /** The search ends after this many steps. */
  readonly steps: number;
  /** @default 25 */
  readonly maxCommands?: number;
  /** Whether to shorten a failing sequence, which takes many runs. @default true */
  readonly isShortened?: boolean;
  /** Violations to ignore. */
  readonly isKnown?: (violation: Violation) => boolean;
}

/**
 * Runs random sequences until one breaks an invariant, and shortens it; `undefined` when none did. The same options
 * give the same result.
 */
export async function search(world: World, options: SearchOptions): Promise<Finding | undefined> {
  const { maxCommands = 25, isShortened = true, isKnown = () => false } = options;
  let taken = 0;
  for (let seed = options.seed; taken < options.steps; seed += 1) {
    let steps: Step[] = [];
    let violation: Violation | undefined;
    const property = fc.asyncProperty(sequences(maxCommands), async (commands) => {
      violation = await violationOf(runSequence(commands, world));
      steps = ran(commands);
      taken += steps.length;
    });
    await fc.assert(property, { seed, numRuns: 1 });
    if (violation === undefined || isKnown(violation)) continue;
    const { kind } = violation;
    const afterSteps = taken;
    if (!isShortened) return { seed, afterSteps, violation, steps };
    const shortened = await shorten(steps, async (candidate) => {
      const found = await violationOf(replay(candidate, world));
      const isSame = found?.kind === kind && !isKnown(found);
      if (isSame) violation = found;
      return isSame;
    });
    return { seed, afterSteps, violation, steps: shortened };
  }
  return undefined;
}

async function violationOf(run: Promise<void>): Promise<Violation | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}

/** The executed steps. */
function ran(commands: Iterable<unknown>): Step[] {
  return [...commands]
    .filter((command) => (command as { hasRan?: boolean }).hasRan === true)
    .map((command) => JSON.parse(String(command)) as Step);
}
