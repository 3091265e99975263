import type { Result } from "../operations.ts";
import { shortenedText } from "../shortened-text.ts";
import type { GitHub } from "./client.ts";
import type { CommentSubject } from "./comment.ts";

const permission = "deployments: write";

/** Description of each deployment. In earlier versions, which wrote no payload, it alone identified them. */
const description = "graphdeploy";

/** A deployment in GitHub's own list of deployments. */
export interface GitHubDeployment {
  id: number;
  environment: string;
}

export type DeploymentState = "in_progress" | "success" | "failure" | "error" | "inactive";

/**
 * The final state of a run's GitHub deployment: `error` where the run failed but the rollout may still succeed,
 * `inactive` where the run ended without following it further.
 */
export const stateOfResult: Readonly<Record<Result, DeploymentState>> = {
  deployed: "success",
  started: "inactive",
  failed: "failure",
  superseded: "inactive",
  interrupted: "failure",
  "timed-out": "error",
  cancelled: "inactive",
  skipped: "inactive",
  planned: "inactive",
  deleted: "inactive",
};

export interface StartOptions {
  environment: string;
  subject: CommentSubject;
  /** A commit, branch or tag. */
  ref: string;
  isPreview: boolean;
  runUrl: string;
}

/** Creates a GitHub deployment in the state `in_progress`. */
export async function startGitHubDeployment(
  github: GitHub,
  options: StartOptions,
): Promise<GitHubDeployment | undefined> {
  return github.attempt("The GitHub deployment", permission, async () => {
    const { environment, subject, ref, isPreview, runUrl } = options;
    const { data } = await github.octokit.rest.repos.createDeployment({
      ...github.repository,
      environment,
      ref,
      auto_merge: false,
      required_contexts: [],
      transient_environment: isPreview,
      production_environment: !isPreview,
      description,
      payload: { graphdeploy: { ...subject, run: runUrl } },
    });
    // A 202 has a message instead of a deployment.
    if (!("id" in data)) throw new Error(data.message ?? "GitHub made no deployment");
    const deployment = { id: data.id, environment };
    // It exists now, so its final state is written even if this fails.
    await updateGitHubDeployment(github, deployment, "in_progress", { runUrl });
    return deployment;
  });
}

/** An earlier GitHub deployment of the same agent deployment. */
export interface EarlierDeployment extends GitHubDeployment {
  /** The address of the page of the run that made it. */
  run: string | undefined;
  /** Whether its latest status is not a final one. */
  isOpen: boolean;
  /** The description of its latest status; it names a revision that wasn't live yet. */
  description: string;
}

/** How many deployments of an environment are searched for those of the same agent deployment. */
const maxSearched = 100;

/** For how many of those the latest status is read. */
const maxStatusReads = 10;

/** States that aren't final. */
const openStates: ReadonlySet<string> = new Set(["in_progress", "queued", "pending"]);

export interface EarlierOptions {
  environment: string;
  subject: CommentSubject;
  /**
   * Whether only this agent deployment uses the environment: then deployments of earlier versions, without a payload,
   * belong to it.
   */
  isOwnEnvironment: boolean;
}

/** The GitHub deployments of earlier runs for the same agent deployment, newest first. */
export async function earlierDeployments(
  github: GitHub,
  { environment, subject, isOwnEnvironment }: EarlierOptions,
): Promise<EarlierDeployment[]> {
  const search = async () => {
    const { octokit, repository } = github;
    const query = { ...repository, environment, per_page: maxSearched };
    const { data: listed } = await octokit.rest.repos.listDeployments(query);
    const own = listed.flatMap((deployment) => {
      const payload = payloadOf(deployment.payload);
      const isOwn =
        payload === undefined
          ? isOwnEnvironment && deployment.description === description
          : payload.name === subject.name && payload.baseUrl === subject.baseUrl;
      return isOwn ? [{ id: deployment.id, environment, run: payload?.run }] : [];
    });
    const withStatus = own.slice(0, maxStatusReads).map(async (deployment) => {
      return { ...deployment, ...(await latestStatus(github, deployment.id)) };
    });
    return Promise.all(withStatus);
  };
  return (await github.attempt("Looking for GitHub deployments of earlier runs", permission, search)) ?? [];
}

/** Sets an abandoned deployment to `inactive`, unless it has a final state by now. */
export async function closeLeftOpen(
  github: GitHub,
  { id }: GitHubDeployment,
  details: { runUrl: string; description: string },
): Promise<void> {
  await github.attempt("Closing the GitHub deployment of an earlier run", permission, async () => {
    const { isOpen } = await latestStatus(github, id);
    if (isOpen) await setState(github, id, "inactive", details);
  });
}

async function latestStatus({ octokit, repository }: GitHub, id: number) {
  const latest = { ...repository, deployment_id: id, per_page: 1 };
  const [status] = (await octokit.rest.repos.listDeploymentStatuses(latest)).data;
  const isOpen = status === undefined || openStates.has(status.state);
  return { isOpen, description: status?.description ?? "" };
}

function payloadOf(payload: unknown): { name?: string; baseUrl?: string; run?: string } | undefined {
  try {
    // GitHub returns it as it was sent, or as text.
    const read: unknown = typeof payload === "string" ? JSON.parse(payload) : payload;
    return (read as { graphdeploy?: object } | null)?.graphdeploy;
  } catch {
    return undefined;
  }
}

/** Sets the state of a GitHub deployment; `url` is the agent deployment's address. */
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

/** Sets all deployments of an environment to `inactive`, after its agent deployment was deleted. */
export async function retireEnvironment(github: GitHub, environment: string, runUrl: string): Promise<void> {
  await github.attempt("Retiring the GitHub deployments of the preview", permission, async () => {
    const { octokit, repository } = github;
    const query = { ...repository, environment, per_page: 100 };
    for (const { id } of await octokit.paginate(octokit.rest.repos.listDeployments, query))
      await setState(github, id, "inactive", { runUrl });
  });
}

/** GitHub refuses a longer one. */
const maxDescriptionLength = 140;

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
    ...(description === undefined ? {} : { description: shortenedText(description, maxDescriptionLength) }),
  });
}
