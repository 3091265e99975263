import { asFields, type WorkflowEvent } from "./event.ts";
import type { Target } from "./target.ts";

const dependabot = "dependabot[bot]";

/** Events whose runs get Dependabot's secrets instead of the Actions secrets when Dependabot started them. */
const restrictedEvents: ReadonlySet<string> = new Set([
  ...["pull_request", "pull_request_review", "pull_request_review_comment"],
  ...["push", "create", "deployment", "deployment_status"],
]);

/** Why this run gets no secrets although the workflow is right; `undefined` if it should have them. */
export function missingSecretsReason(event: WorkflowEvent, target: Target): string | undefined {
  if (target.kind === "refuse") return undefined;
  if (target.kind === "delete-preview" && target.isFork)
    return "This pull request came from a fork, so it has no preview.";
  if (!isDependabotRun(event)) return undefined;
  return "Dependabot started this run, so it gets none of the Actions secrets, and there is no API key: nothing is done. To deploy for Dependabot too, add the key and the other secrets to Dependabot's own store: Settings > Secrets and variables > Dependabot.";
}

/** In a re-run by somebody else the actor is still Dependabot, with the same restrictions. */
function isDependabotRun({ name, actor, payload }: WorkflowEvent): boolean {
  if (name === "pull_request_target") return isDependabot(asFields(payload.pull_request).user);
  return restrictedEvents.has(name) && (actor === dependabot || isDependabot(payload.sender));
}

function isDependabot(user: unknown): boolean {
  return asFields(user).login === dependabot;
}
