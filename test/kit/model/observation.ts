import type { StackKey, Trouble } from "./commands.ts";
import type { Result } from "./driver.ts";
import {
  additionsStay,
  deletionsHadACause,
  deletionsWereAnnounced,
  nothingIsLost,
  type Observed,
  othersAreUnchanged,
  secretsAreKept,
  stateIsTrue,
} from "./invariants.ts";
import { learnOwners } from "./learned-owners.ts";
import type { Model } from "./model.ts";
import type { Platform } from "./platform.ts";
import type { DeclaredProgram } from "./program.ts";
import { hadReasonToFail } from "./reasons.ts";
import { Violation } from "./violation.ts";
import type { World } from "./world.ts";

/** A preview and a refresh change nothing. */
export async function onlyLooked(before: Platform, world: World, command: string): Promise<void> {
  const after = await world.platform();
  const isSame = before.size === after.size && [...before.keys()].every((id) => after.has(id));
  const writes = world.requests().filter((request) => !request.startsWith("GET "));
  if (!isSame || writes.length > 0) {
    throw new Violation("a preview or a refresh changed something", `${command}: ${writes.join(", ")}`);
  }
}

/**
 * Runs a preview and a command, and checks the invariants of a single run; `undefined` when the preview failed.
 * @throws Violation
 */
export async function observe(run: {
  model: Model;
  world: World;
  stack: StackKey;
  program: DeclaredProgram;
  trouble: Trouble | undefined;
  isPartial: boolean;
  preview: () => Promise<Result>;
  run: () => Promise<Result>;
  continues: (preview: Result) => boolean;
}): Promise<{ observed: Observed; happened: boolean } | undefined> {
  const { model, world, stack, program, trouble } = run;
  const stackName = world.driver.nameOf(stack);
  const before = await world.platform();
  const entriesBefore = await world.driver.entries(stack);
  world.clear();
  const preview = await run.preview();
  await onlyLooked(before, world, "preview");
  const failed = (error: string) =>
    hadReasonToFail({ model, stack, stackName, program, entries: entriesBefore, before, error });
  if (!run.continues(preview)) {
    const error = preview.error ?? "";
    if (!failed(error)) throw new Violation("a run failed without a reason", `preview: ${error}`);
    return undefined;
  }
  world.clear();
  if (trouble !== undefined) world.disturb(trouble);
  const result = await run.run();
  const isRolloutLost =
    trouble !== undefined && "rollout" in trouble && result.error?.includes(trouble.rollout) === true;
  const happened = world.happened() || isRolloutLost;
  world.clear();
  const observed: Observed = {
    model,
    stack,
    stackName,
    program,
    isPartial: run.isPartial,
    before,
    after: await world.platform(),
    entriesBefore,
    entriesAfter: await world.driver.entries(stack),
    preview,
    result,
    stateText: await world.driver.stateText(stack),
  };
  secretsAreKept(observed);
  othersAreUnchanged(observed);
  learnOwners(observed, happened && trouble !== undefined && "kill" in trouble && trouble.kill);
  deletionsWereAnnounced(observed);
  deletionsHadACause(observed);
  nothingIsLost(observed);
  additionsStay(observed);
  if (result.error !== undefined && !happened && !failed(result.error)) {
    throw new Violation("a run failed without a reason", result.error);
  }
  if (result.error === undefined && preview.error !== undefined) {
    throw new Violation("a preview refuses what works", preview.error);
  }
  if (result.error === undefined) stateIsTrue(observed);
  return { observed, happened };
}
