import { getOctokit } from "@actions/github";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { Console } from "../console.ts";
import { isRateLimit, RateLimitRetries } from "./rate-limit.ts";

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
  /**
   * Runs one write-back; `undefined` when it failed. `onFailure` then gets the reason, with the permission that it needs where that is missing.
   * @default a warning
   */
  attempt<Value>(
    what: string,
    permission: string,
    run: () => Promise<Value>,
    onFailure?: (reason: string) => void,
  ): Promise<Value | undefined>;
}

/** GitHub with a token; `undefined` without one. `signal` aborts when the run is cancelled; `clock` times the pauses of rate limits. */
export function connectToGitHub(
  token: string | undefined,
  repository: string,
  console: Console,
  signal?: AbortSignal,
  clock: Clock = systemClock,
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
  // Behind the hook above, so that each attempt gets a time of its own.
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
  // A token without a permission is told 404 about what it may not see.
  if (status === 401 || status === 403 || status === 404) {
    const missing = status === 404 ? "There is no such thing, or the job's token may not see it. " : "";
    return `GitHub responded with ${status} (${message}). ${missing}The job needs the permission ${permission}.`;
  }
  return message === "" ? `GitHub responded with ${status}.` : `${message}.`;
}
