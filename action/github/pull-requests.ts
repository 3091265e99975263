import { asFields, type Fields } from "../event.ts";
import type { GitHub } from "./client.ts";

/** Whether a pull request is open now; `undefined` when GitHub doesn't say. */
export async function isPullRequestOpen(github: GitHub, number: number): Promise<boolean | undefined> {
  return github.attempt(`Looking whether pull request #${number} is open`, "pull-requests: read", async () => {
    const { data } = await github.octokit.rest.pulls.get({ ...github.repository, pull_number: number });
    return data.state === "open";
  });
}

/** A pull request as it is now; `undefined` when GitHub doesn't say. */
export async function findPullRequest(github: GitHub, number: number): Promise<Fields | undefined> {
  return github.attempt(`Looking up pull request #${number}`, "pull-requests: read", async () => {
    const { data } = await github.octokit.rest.pulls.get({ ...github.repository, pull_number: number });
    return asFields(data);
  });
}
