import { asFields, type Fields } from "../event.ts";
import type { GitHub } from "./client.ts";

/**
 * Whether a pull request is open; `undefined` if it can't be read, and then `onUnknown` (by default a warning) gets the
 * reason.
 */
export async function isPullRequestOpen(
  github: GitHub,
  number: number,
  onUnknown?: (reason: string) => void,
): Promise<boolean | undefined> {
  const read = async () => {
    const { data } = await github.octokit.rest.pulls.get({ ...github.repository, pull_number: number });
    return data.state === "open";
  };
  return github.attempt(`Looking whether pull request #${number} is open`, "pull-requests: read", read, onUnknown);
}

/** The current state of a pull request; `undefined` if it can't be read, and then `onUnknown` gets the reason. */
export async function findPullRequest(
  github: GitHub,
  number: number,
  onUnknown: (reason: string) => void,
): Promise<Fields | undefined> {
  const read = async () => {
    const { data } = await github.octokit.rest.pulls.get({ ...github.repository, pull_number: number });
    return asFields(data);
  };
  return github.attempt(`Looking up pull request #${number}`, "pull-requests: read", read, onUnknown);
}
