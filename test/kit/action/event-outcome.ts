import fc from "fast-check";
import type { WorkflowEvent } from "../../../action/event.ts";
import { targetOf } from "../../../action/event-target.ts";
import { isFromFork } from "../../../action/pull-request.ts";
import type { Target, TargetInputs } from "../../../action/target.ts";
import { pullRequestNumber } from "./event-samples.ts";
import { allowedOutcome, type EventRow, eventTable, type Outcome } from "./event-table.ts";
import { someEvent } from "./events.ts";

/** Any row of the table, with any of its activity types. */
export const situation = fc
  .constantFrom(...eventTable)
  .chain((row) =>
    fc.constantFrom(...(row.types.length === 0 ? [undefined] : row.types)).map((type) => ({ row, type })),
  );

/** The target, after GitHub's response where a pull request has to be looked up. */
export function decide(event: WorkflowEvent, inputs: TargetInputs, found: Record<string, unknown>): Target {
  const target = targetOf(event, inputs);
  return target.kind === "look-up" ? targetOf(event, inputs, found) : target;
}

/** A target as an outcome of the table. */
export function outcomeOf(target: Target): Outcome | "sweep" | "look-up" {
  switch (target.kind) {
    case "skip":
      return "notice";
    case "delete":
      return target.onlyRef === undefined ? "delete deployment" : "delete if deployed from that ref";
    case "delete-preview":
      return "delete preview";
    default:
      return target.kind;
  }
}

/** The table's outcome, with the given pull request where one has to be looked up. */
export function expectedOutcome(row: EventRow, given: TargetInputs, pull: Record<string, unknown>): Outcome | "sweep" {
  const { operation } = given;
  if (operation === "sweep") return "sweep";
  const hasRef = given.ref !== undefined;
  const isNamed = given.pullRequest !== undefined && (row.takesPullRequest || given.pullRequest !== pullRequestNumber);
  const expected = allowedOutcome(row, operation, { ref: hasRef, pullRequest: isNamed, image: !given.needsRef });
  const isLookedUp = isNamed && (expected === "preview" || expected === "plan");
  if (!isLookedUp) return expected;
  if (pull.state === "closed") return "notice";
  const isChosen = operation === "preview" && hasRef;
  return isFromFork(pull, someEvent({})) && !isChosen ? "notice" : expected;
}
