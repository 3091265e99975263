import { getOctokit } from "@actions/github";
import type { Console } from "../console.ts";

export type Octokit = ReturnType<typeof getOctokit>;

/** A write-back that doesn't answer is given up after this, in milliseconds. */
const requestTimeoutMs = 15_000;

/** And after this once the run is cancelled, when the runner is about to kill it. */
const lastRequestTimeoutMs = 1_200;

/** A repository by its two names, as the API takes it. */
export interface Repository {
  owner: string;
  repo: string;
}

/** GitHub as this run may use it. What fails there is warned about and never fails a deployment. */
export interface GitHub {
  octokit: Octokit;
  repository: Repository;
  /** Runs one write-back; `undefined` when it failed, which was then warned about with the permission that it needs. */
  attempt<Value>(what: string, permission: string, run: () => Promise<Value>): Promise<Value | undefined>;
}

/** GitHub with a token; `undefined` without one. `signal` aborts when the run is cancelled. */
export function connectToGitHub(
  token: string | undefined,
  repository: string,
  console: Console,
  signal?: AbortSignal,
): GitHub | undefined {
  const [owner = "", repo = ""] = repository.split("/");
  if (token === undefined || owner === "" || repo === "") return undefined;
  const octokit = getOctokit(token, { userAgent: "graphdeploy" });
  octokit.hook.before("request", (options) => {
    const isLast = signal === undefined || signal.aborted;
    const timeout = AbortSignal.timeout(signal?.aborted === true ? lastRequestTimeoutMs : requestTimeoutMs);
    const either = isLast ? timeout : AbortSignal.any([timeout, signal]);
    // Set in place: the hooks of authentication hand on the options that they were given, not those of a hook around them.
    options.request = { ...options.request, signal: either };
  });
  return {
    octokit,
    repository: { owner, repo },
    async attempt(what, permission, run) {
      try {
        return await run();
      } catch (error) {
        console.warning(`${what} failed and was left out: ${explain(error, permission)}`);
        return undefined;
      }
    },
  };
}

function explain(error: unknown, permission: string): string {
  const status = (error as { status?: unknown }).status;
  const message = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  // A token without a permission is told 404 about what it may not see.
  if (status === 401 || status === 403 || status === 404) {
    return `GitHub answered ${status} (${message}). The job needs the permission ${permission}.`;
  }
  return message === "" ? `GitHub answered ${status}.` : `${message}.`;
}
