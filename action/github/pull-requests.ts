import type { GitHub } from "./client.ts";

/** Whether a pull request is open now; `undefined` when GitHub doesn't say. */
export async function isPullRequestOpen(github: GitHub, number: number): Promise<boolean | undefined> {
  return github.attempt(`Looking whether pull request #${number} is open`, "pull-requests: read", async () => {
    const { data } = await github.octokit.rest.pulls.get({ ...github.repository, pull_number: number });
    return data.state === "open";
  });
}
