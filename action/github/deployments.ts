import type { GitHub } from "./client.ts";

const permission = "deployments: write";

/** A deployment as GitHub's own list of deployments shows it. */
export interface GitHubDeployment {
  id: number;
  environment: string;
}

export type DeploymentState = "in_progress" | "success" | "failure" | "error" | "inactive";

export interface StartOptions {
  environment: string;
  /** A commit, branch or tag. */
  ref: string;
  isPreview: boolean;
  runUrl: string;
}

/** Begins a GitHub deployment, in progress. */
export async function startGitHubDeployment(
  github: GitHub,
  options: StartOptions,
): Promise<GitHubDeployment | undefined> {
  return github.attempt("The GitHub deployment", permission, async () => {
    const { environment, ref, isPreview, runUrl } = options;
    const { data } = await github.octokit.rest.repos.createDeployment({
      ...github.repository,
      environment,
      ref,
      auto_merge: false,
      required_contexts: [],
      transient_environment: isPreview,
      production_environment: !isPreview,
      description: "graphdeploy",
    });
    // 202 is a message instead of a deployment.
    if (!("id" in data)) throw new Error(data.message ?? "GitHub made no deployment");
    await setState(github, data.id, "in_progress", { runUrl });
    return { id: data.id, environment };
  });
}

/** Tells GitHub how a deployment stands; its page is `url`. */
export async function updateGitHubDeployment(
  github: GitHub,
  deployment: GitHubDeployment,
  state: DeploymentState,
  details: { url?: string | undefined; runUrl: string; description?: string },
): Promise<void> {
  await github.attempt("The status of the GitHub deployment", permission, () =>
    setState(github, deployment.id, state, details),
  );
}

/** Marks what an environment has as inactive: its deployment is gone. */
export async function retireEnvironment(github: GitHub, environment: string, runUrl: string): Promise<void> {
  await github.attempt("Retiring the GitHub deployments of the preview", permission, async () => {
    const { octokit, repository } = github;
    const query = { ...repository, environment, per_page: 100 };
    for (const { id } of await octokit.paginate(octokit.rest.repos.listDeployments, query))
      await setState(github, id, "inactive", { runUrl });
  });
}

async function setState(
  github: GitHub,
  id: number,
  state: DeploymentState,
  { url, runUrl, description }: { url?: string | undefined; runUrl: string; description?: string },
): Promise<void> {
  await github.octokit.rest.repos.createDeploymentStatus({
    ...github.repository,
    deployment_id: id,
    state,
    log_url: runUrl,
    ...(url === undefined ? {} : { environment_url: url }),
    ...(description === undefined ? {} : { description: description.slice(0, 140) }),
  });
}
