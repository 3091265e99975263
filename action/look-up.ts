import type { CommonInputs } from "./common-inputs.ts";
import type { Console } from "./console.ts";
import type { Fields, WorkflowEvent } from "./event.ts";
import type { InputProblem } from "./input-problem.ts";

/** The current state of a pull request on GitHub, or the problem if it can't be read. */
export async function lookUpPullRequest(
  number: number,
  { githubToken }: Pick<CommonInputs, "githubToken">,
  event: WorkflowEvent,
  console: Console,
  signal: AbortSignal,
): Promise<{ found: Fields } | { problem: InputProblem }> {
  // Loaded only where GitHub is needed.
  const { connectToGitHub } = await import(/* webpackMode: "eager" */ "./github/client.ts");
  const { findPullRequest } = await import(/* webpackMode: "eager" */ "./github/pull-requests.ts");
  const github = connectToGitHub(githubToken, event, console, signal);
  if (github === undefined) {
    return { problem: { input: "github-token", message: `is needed to look up pull request #${number}.` } };
  }
  let reason = "";
  const found = await findPullRequest(github, number, (why) => {
    reason = why;
  });
  if (found !== undefined) return { found };
  return { problem: { input: "pull-request", message: `#${number} couldn't be looked up. ${reason}` } };
}
