import { readFileSync } from "node:fs";

export type Fields = Readonly<Record<string, unknown>>;

/** The event that started the workflow run, and where it runs. */
export interface WorkflowEvent {
  /** `GITHUB_EVENT_NAME`, for example `push`. */
  name: string;
  /** `GITHUB_REF`, always a full ref; empty where there is none. */
  ref: string;
  /** `GITHUB_SHA`; on a pull request the test merge, not the branch. */
  sha: string;
  /** `owner/name` of the repository that the workflow belongs to. */
  repository: string;
  /** `GITHUB_ACTOR`: who started the run. A re-run by somebody else keeps it, and its access to secrets. */
  actor: string;
  /** For example `https://github.com`, without a trailing slash. */
  serverUrl: string;
  /** The address of GitHub's API, `GITHUB_API_URL`. */
  apiUrl: string;
  /** The address of this run's page. */
  runUrl: string;
  /** `GITHUB_RUN_ATTEMPT`: greater than 1 for a re-run. @default 1 */
  runAttempt?: number;
  payload: Fields;
}

/**
 * Reads the event of the current run.
 * @throws Error when `GITHUB_EVENT_PATH` is set and can't be read
 */
export function readEvent(env: Readonly<Record<string, string | undefined>>): WorkflowEvent {
  const { GITHUB_EVENT_PATH: path } = env;
  const payload = path ? readPayload(path) : {};
  const serverUrl = (env.GITHUB_SERVER_URL || "https://github.com").replace(/\/+$/, "");
  const repository = env.GITHUB_REPOSITORY ?? "";
  return {
    name: env.GITHUB_EVENT_NAME ?? "",
    ref: env.GITHUB_REF ?? "",
    sha: env.GITHUB_SHA ?? "",
    repository,
    actor: env.GITHUB_ACTOR ?? "",
    serverUrl,
    apiUrl: env.GITHUB_API_URL || "https://api.github.com",
    runUrl: `${serverUrl}/${repository}/actions/runs/${env.GITHUB_RUN_ID ?? ""}`,
    runAttempt: Number(env.GITHUB_RUN_ATTEMPT || 1),
    payload: asFields(payload),
  };
}

function readPayload(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The event of this run can't be read from ${path} (GITHUB_EVENT_PATH): ${why}`, { cause: error });
  }
}

/** `value` if it is an object, else an empty one. */
export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** `value` if it is a string that isn't empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `value` if it is the full SHA of a commit. */
export function asCommit(value: unknown): string | undefined {
  return typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined;
}
