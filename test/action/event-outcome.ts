import type { WorkflowEvent } from "../../action/event.ts";
import { type Target, type TargetInputs, targetOf } from "../../action/target.ts";
import type { Outcome } from "./event-table.ts";

/** What is decided, once GitHub has said what it knows about a pull request that has to be looked up. */
export function decide(event: WorkflowEvent, inputs: TargetInputs, found: Record<string, unknown>): Target {
  const target = targetOf(event, inputs);
  return target.kind === "look-up" ? targetOf(event, inputs, found) : target;
}

/** A decision in the words of the table. */
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
