import type { CommonInputs } from "./common-inputs.ts";
import type { Console } from "./console.ts";
import type { Fields, WorkflowEvent } from "./event.ts";
import type { InputProblem } from "./input-problem.ts";
import { lookUpPullRequest } from "./look-up.ts";
import { canAnyoneTrigger, lookUpSender } from "./sender.ts";
import type { Target } from "./target.ts";

/**
 * Determines the target, with the help of GitHub where the event isn't enough; `problem` if GitHub doesn't help.
 * @param targetOf decides from the event and, if given, the pull request that an earlier decision wanted looked up
 */
export async function decide(
  event: WorkflowEvent,
  inputs: Pick<CommonInputs, "settings" | "githubToken">,
  targetOf: (found?: Fields) => Target,
  console: Console,
  signal: AbortSignal,
): Promise<{ target: Target; problem?: InputProblem }> {
  const target = targetOf();
  if (inputs.settings === undefined || target.kind === "skip" || target.kind === "refuse") return { target };
  if (canAnyoneTrigger(event)) {
    const sender = await lookUpSender(inputs, event, console, signal);
    if ("problem" in sender) return { target, problem: sender.problem };
    if (sender.refused !== undefined) return { target: { kind: "skip", reason: sender.refused } };
  }
  if (target.kind !== "look-up") return { target };
  const lookUp = await lookUpPullRequest(target.pullRequest, inputs, event, console, signal);
  return "found" in lookUp ? { target: targetOf(lookUp.found) } : { target, problem: lookUp.problem };
}

/** Adds a refusal, unless its input has a problem already. */
export function addRefusal(problems: InputProblem[], { input, reason }: Target & { kind: "refuse" }): void {
  if (!problems.some((problem) => problem.input === input)) problems.push({ input, message: reason });
}
