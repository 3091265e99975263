import fc from "fast-check";
import { type Step, step } from "./commands.ts";
import { execute } from "./execute.ts";
import { emptyModel, type Model } from "./model.ts";
import type { World } from "./world.ts";

/** A step as a fast-check command. */
export class StepCommand implements fc.AsyncCommand<Model, World> {
  readonly step: Step;

  constructor(step: Step) {
    this.step = step;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, world: World): Promise<void> {
    return execute(this.step, model, world);
  }

  toString(): string {
    return JSON.stringify(this.step);
  }
}

/** Sequences of at most `maxCommands` steps. */
export function sequences(maxCommands: number) {
  return fc.commands([step.map((data) => new StepCommand(data))], { maxCommands, size: "max" });
}

/** Brings both stacks to their programs' state with a refresh and a full up, the last steps of a sequence. */
const settling: readonly Step[] = (["blue", "green"] as const).flatMap((stack): Step[] => [
  { step: "refresh", stack },
  { step: "up", stack, edits: [] },
]);

/** Runs a sequence in an empty world, then settles both stacks. @throws Violation */
export async function runSequence(commands: Iterable<fc.AsyncCommand<Model, World>>, world: World): Promise<void> {
  await world.reset();
  const model = emptyModel();
  await fc.asyncModelRun(() => ({ model, real: world }), commands);
  for (const last of settling) await execute(last, model, world);
}

/** Replays a recorded sequence. @throws Violation */
export function replay(steps: readonly Step[], world: World): Promise<void> {
  return runSequence(
    steps.map((data) => new StepCommand(data)),
    world,
  );
}
