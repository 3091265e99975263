import type { Result } from "../operations.ts";
import type { GitHub } from "./client.ts";
import type { CommentSubject } from "./comment.ts";

const permission = "deployments: write";

/** Of each deployment; before there was a payload, all that told them from others. */
const description = "graphdeploy";

/** A deployment as GitHub's own list of deployments shows it. */
export interface GitHubDeployment {
  id: number;
  environment: string;
}

export type DeploymentState = "in_progress" | "success" | "failure" | "error" | "inactive";

/**
 * How a run leaves its GitHub deployment. Nobody looks at it after that, so each is a state that lasts: `error` where the run failed and the rollout
 * may still succeed, `inactive` where the run knows no more and passed, or was told to stop.
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

/** Begins a GitHub deployment, in progress. */
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
    // 202 is a message instead of a deployment.
    if (!("id" in data)) throw new Error(data.message ?? "GitHub made no deployment");
    const deployment = { id: data.id, environment };
    // It is there now, so its end is written even where this fails.
    await updateGitHubDeployment(github, deployment, "in_progress", { runUrl });
    return deployment;
  });
}

/** An earlier GitHub deployment of the same agent deployment. */
export interface EarlierDeployment extends GitHubDeployment {
  /** The page of the run that made it. */
  run: string | undefined;
  /** No status since then says how it ended. */
  isOpen: boolean;
  /** Of its latest status; it names the revision where that wasn't live yet. */
  description: string;
}

/** How many deployments of an environment are searched for those of the same agent deployment, and of how many of these the status is read. */
const maxSearched = 100;
const maxStatusReads = 10;

/** States that a deployment stays in for ever unless somebody ends them. */
const openStates: ReadonlySet<string> = new Set(["in_progress", "queued", "pending"]);

export interface EarlierOptions {
  environment: string;
  subject: CommentSubject;
  /** The environment is this agent deployment's alone, so what an earlier version left there without a payload belongs to it. */
  isOwnEnvironment: boolean;
}

/** What earlier runs wrote for the same agent deployment, newest first. */
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

/** Ends a deployment as inactive whose run doesn't do it any more; one that has got its end meanwhile keeps that. */
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
    // GitHub gives it back as it was sent, or as text.
    const read: unknown = typeof payload === "string" ? JSON.parse(payload) : payload;
    return (read as { graphdeploy?: object } | null)?.graphdeploy;
  } catch {
    return undefined;
  }
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
