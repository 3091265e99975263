import { getOctokit } from "@actions/github";
import { type Clock, systemClock } from "../../core/time.ts";
import type { Console } from "../console.ts";
import type { WorkflowEvent } from "../event.ts";
import { isRateLimit, RateLimitRetries } from "./rate-limit.ts";

export type Octokit = ReturnType<typeof getOctokit>;

/** Timeout of a request to GitHub, in milliseconds. */
const requestTimeoutMs = 15_000;

/** Timeout once the run is cancelled and the runner is about to kill it, in milliseconds. */
const lastRequestTimeoutMs = 1_200;

/** A repository, as the API's parameters name it. */
export interface Repository {
  owner: string;
  repo: string;
}

/** GitHub's API with the run's token. A request that fails causes a warning and never fails a deployment. */
export interface GitHub {
  octokit: Octokit;
  repository: Repository;
  /**
   * Runs one request; `undefined` when it failed. `onFailure` then gets the reason, with the permission if it is
   * missing.
   * @default a warning
   */
  attempt<Value>(
    what: string,
    permission: string,
    run: () => Promise<Value>,
    onFailure?: (reason: string) => void,
  ): Promise<Value | undefined>;
}

/**
 * GitHub's API; `undefined` without a token. `signal` aborts when the run is cancelled; `clock` times the pauses of
 * rate limits.
 */
export function connectToGitHub(
  token: string | undefined,
  { repository, apiUrl }: Pick<WorkflowEvent, "repository" | "apiUrl">,
  console: Console,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): GitHub | undefined {
  const [owner = "", repo = ""] = repository.split("/");
  if (token === undefined || owner === "" || repo === "") return undefined;
  const octokit = getOctokit(token, { baseUrl: apiUrl, userAgent: "graphdeploy" });
  octokit.hook.before("request", (options) => {
    const isLast = signal === undefined || signal.aborted;
    const timeout = AbortSignal.timeout(signal?.aborted === true ? lastRequestTimeoutMs : requestTimeoutMs);
    const either = isLast ? timeout : AbortSignal.any([timeout, signal]);
    // Set in place: the authentication hook passes on the options that it received, not those of hooks around it.
    options.request = { ...options.request, signal: either };
  });
  // Around the hook above, so that each attempt gets its own timeout.
  const retries = new RateLimitRetries(clock, signal);
  octokit.hook.wrap("request", (request, options) => retries.run(async () => request(options)));
  return {
    octokit,
    repository: { owner, repo },
    async attempt(
      what,
      permission,
      run,
      onFailure = (reason) => console.warning(`${what} failed and was left out: ${reason}`),
    ) {
      try {
        return await run();
      } catch (error) {
        onFailure(explain(error, permission));
        return undefined;
      }
    },
  };
}

function explain(error: unknown, permission: string): string {
  const status = (error as { status?: unknown }).status;
  const message = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
  if (isRateLimit(error)) {
    return `GitHub responded with ${status} (${message}). Its rate limit for this token is used up: run again later.`;
  }
  // GitHub responds with 404 for what a token may not see.
  if (status === 401 || status === 403 || status === 404) {
    const missing = status === 404 ? "There is no such thing, or the job's token may not see it. " : "";
    return `GitHub responded with ${status} (${message}). ${missing}The job needs the permission ${permission}.`;
  }
  return message === "" ? `GitHub responded with ${status}.` : `${message}.`;
}
