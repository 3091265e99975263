import { readFileSync } from "node:fs";

export type Fields = Readonly<Record<string, unknown>>;

/** What caused the workflow run, and where it runs. */
export interface WorkflowEvent {
  /** `GITHUB_EVENT_NAME`, for example `push`. */
  name: string;
  /** `GITHUB_REF`, always a full ref; empty where there is none. */
  ref: string;
  /** `GITHUB_SHA`; on a pull request the test merge, not the branch. */
  sha: string;
  /** `owner/name` of the repository that the workflow belongs to. */
  repository: string;
  /** `GITHUB_ACTOR`: who started the run. A re-run by somebody else keeps it, with the secrets that it may see. */
  actor: string;
  /** Of the web pages, for example `https://github.com`. */
  serverUrl: string;
  /** The page of this run. */
  runUrl: string;
  /** `GITHUB_RUN_ATTEMPT`: over 1 when somebody re-runs the jobs. */
  runAttempt?: number;
  payload: Fields;
}

/**
 * The event of the run that this process belongs to.
 * @throws Error when the event's file is named and can't be read
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

/** An object of the payload; an empty one where it is missing, null or something else. */
export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A text of the payload; `undefined` where it is missing, empty or something else. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A full commit of the payload; `undefined` where there is none. */
export function asCommit(value: unknown): string | undefined {
  return typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined;
}
