import type { CommonInputs } from "./common-inputs.ts";
import type { Console } from "./console.ts";
import { asFields, asText, type WorkflowEvent } from "./event.ts";
import type { InputProblem } from "./input-problem.ts";

/** Events that anybody can cause in a public repository, without any permission in it. */
const publicEvents: ReadonlySet<string> = new Set([
  ...["issue_comment", "discussion_comment", "pull_request_review", "pull_request_review_comment"],
  ...["discussion", "issues", "fork", "watch", "gollum"],
]);

/** GitHub reports `maintain` as `write`, and `triage` as `read`. */
const writingPermissions: ReadonlySet<string> = new Set(["admin", "maintain", "write"]);

/** Whether the event can be caused without any permission in the repository. */
export function canAnyoneTrigger({ name }: Pick<WorkflowEvent, "name">): boolean {
  return publicEvents.has(name);
}

/**
 * Checks that the event's sender may write to the repository; `refused` says why not. A permission that can't be read
 * is a problem of the inputs, never a permission.
 */
export async function lookUpSender(
  { githubToken }: Pick<CommonInputs, "githubToken">,
  event: WorkflowEvent,
  console: Console,
  signal: AbortSignal,
): Promise<{ refused: string | undefined } | { problem: InputProblem }> {
  const { name, payload, repository } = event;
  const login = asText(asFields(payload.sender).login);
  if (login === undefined) {
    const message = `The event ${name} doesn't name its sender, so it isn't known whether they may start a run.`;
    return { problem: { input: "operation", message } };
  }
  // Loaded only where GitHub is needed.
  const { connectToGitHub } = await import(/* webpackMode: "eager" */ "./github/client.ts");
  const { permissionOf } = await import(/* webpackMode: "eager" */ "./github/permission.ts");
  const github = connectToGitHub(githubToken, event, console, signal);
  if (github === undefined) {
    const message = `is needed to see whether ${login} may write to ${repository}.`;
    return { problem: { input: "github-token", message } };
  }
  let reason = "";
  const permission = await permissionOf(github, login, (why) => {
    reason = why;
  });
  if (permission === undefined) {
    const message = `doesn't show whether ${login} may write to ${repository} (metadata: read), so nothing was done. ${reason}`;
    return { problem: { input: "github-token", message } };
  }
  if (writingPermissions.has(permission)) return { refused: undefined };
  const refused = `${login} has the permission ${JSON.stringify(permission)} in ${repository}. Anybody can cause the event ${name}, so it runs only for those who may write to the repository (write, maintain, admin).`;
  return { refused };
}
